"""Evenings with other boxes and other ways to win, from the first tap to history."""

from playwright.sync_api import Page, expect

from tests.browser.table import Table, assert_nothing_sticks_out, choose_rulebook, seat
from tests.conftest import NewPhone


def lay(table: Table, side: str, *hands: tuple[str, ...]) -> None:
    """Tap hands on the keys of one side."""
    for hand in hands:
        for face in hand:
            table.tap(f"[data-keys='{side}'] [data-face='{face}']")
        table.next()
    table.page.wait_for_selector("#pad", state="hidden")


def test_an_evening_of_flip_counts_the_side_that_showed_and_loses_no_card_of_the_other(page: Page) -> None:
    table = Table(page)
    match = table.set_up(("Ada", "Bo", "Cy"), rulebook="flip")
    table.tap(".standing:has-text('Ada')")
    table.tap("[data-winners] button:has-text('Light side')")
    lay(table, "light", ("7", "draw-one", "wild-draw-two"), ("skip",))
    table.expect_totals({"Ada": 87})
    table.tap(".standing:has-text('Bo')")
    table.tap("[data-winners] button:has-text('Light side')")
    table.tap("[data-keys=light] [data-face='skip']")
    table.tap("[data-side-row] button:has-text('Dark side')")
    expect(page.locator("[data-side-row]")).to_contain_text("set aside: Cy")
    expect(page.locator("[data-keys=light]")).to_be_hidden()
    table.tap("[data-side-row] button:has-text('Light side')")
    expect(page.locator("[data-fan] .laid")).to_have_count(1)
    table.tap("[data-side-row] button:has-text('Dark side')")
    assert_nothing_sticks_out(page)
    lay(table, "dark", ("skip-everyone", "wild-draw-color"), ("draw-five",))
    table.expect_totals({"Ada": 87, "Bo": 110})
    table.tap(".standing:has-text('Ada')")
    table.tap("[data-winners] button:has-text('Dark side')")
    lay(table, "dark", ("9",), ("wild",))
    table.expect_totals({"Ada": 136, "Bo": 110})
    table.expect_saved()
    page.goto(match + "/disputes")
    page.tap("a:has-text('Challenging a Wild Draw Two or a Wild Draw Color')")
    told = "as-offender=0&as-target=1&challenged=yes&challenger=target&held_color=no&played=wild-draw-color"
    page.wait_for_url("**/disputes/draw-four-challenge*")
    page.goto(f"{match}/disputes/draw-four-challenge?{told}")
    expect(page.locator("#ruling")).to_have_text("Bo draws until the named color turns up")
    assert_nothing_sticks_out(page)
    page.tap("text=Save ruling")
    expect(page.locator("a:has-text('Challenging a Wild Draw Two or a Wild Draw Color')")).to_be_visible()
    page.goto(match + "/menu")
    page.click("text=End the match")
    expect(page.locator(".result")).to_contain_text("Ada wins!")
    page.goto("/history" + match[match.index("/matches") :])
    expect(page.locator(".story")).to_contain_text("The dark side showed.")
    expect(page.locator(".story")).to_contain_text("Challenging a Wild Draw Two or a Wild Draw Color")
    page.goto("/history/players")
    page.tap("a:has-text('Ada')")
    expect(page.locator("main")).to_contain_text("Rounds played")
    assert_nothing_sticks_out(page)


def test_an_evening_of_no_mercy_asks_no_hand_of_who_was_knocked_out_and_may_end_with_the_last_one_left(
    page: Page,
) -> None:
    table = Table(page)
    match = table.set_up(("Ada", "Bo", "Cy"), rulebook="no-mercy")
    table.tap(".standing:has-text('Ada')")
    for face in ("wild-draw-ten", "skip-everyone", "7"):
        table.tap(f"[data-face='{face}']")
    table.next()
    assert_nothing_sticks_out(page)
    table.tap("[data-sit]:has-text('Knocked out')")
    expect(page.locator("[data-people] button:has-text('Cy')")).to_contain_text("knocked out")
    table.next()
    page.wait_for_selector("#pad", state="hidden")
    assert table.taps == 7, "one tap a card, one for who was knocked out"
    table.expect_totals({"Ada": 327, "Bo": 0})
    table.tap("#record")
    table.tap("[data-winners] button:has-text('all others')")
    table.tap("[data-winners] button:has-text('Bo')")
    table.next()
    page.wait_for_selector("#pad", state="hidden")
    table.expect_totals({"Ada": 327, "Bo": 500})
    table.round("Ada", ("draw-four", "discard-all"), ("wild-color-roulette", "wild-reverse-draw-four", "0"))
    table.expect_totals({"Ada": 467, "Bo": 500})
    hear_whether_cy_is_out(table, match)
    page.goto(match + "/menu")
    page.click("text=End the match")
    expect(page.locator(".result")).to_contain_text("Bo wins!")
    page.goto("/history" + match[match.index("/matches") :])
    story = page.locator(".story")
    for said in ("Bo was the last one left.", "Cy was knocked out.", "Ada and Cy were knocked out.", "Mercy rule"):
        expect(story).to_contain_text(said)
    assert_nothing_sticks_out(page)


def hear_whether_cy_is_out(table: Table, match: str) -> None:
    """Hear the mercy rule from the sheet: Cy holds 6 cards and must draw 20."""
    page = table.page
    page.goto(match)
    page.tap("nav >> text=Dispute")
    page.tap("text=Mercy rule")
    page.tap(".option:has-text('Cy')")
    page.fill("#number", "6")
    page.tap("text=Continue")
    expect(page.locator("main")).to_contain_text("How many cards must Cy still draw?")
    page.tap(".of-number >> text='20'")
    expect(page.locator("main")).to_contain_text("Then Cy is out of the round.")
    page.tap("text=Save ruling")
    expect(page.locator("#rulings-title")).to_be_visible()


def settle_a_challenge(table: Table, seats: str, *answers: str) -> None:
    """Hear from the sheet whether a Wild Draw Four was legal, and save the ruling."""
    table.tap(".tabs >> text=Dispute")
    table.tap("text=Wild Draw Four challenge")
    table.tap(seats)
    for answer in answers:
        table.tap(f"a.option:has-text('{answer}')")
    expect(table.page.locator("#ruling")).to_be_visible()
    table.tap("text=Save ruling")
    expect(table.page.locator("#rulings-title")).to_be_visible()


def test_in_a_challenge_who_reaches_the_target_is_out_until_two_are_head_to_head(page: Page) -> None:
    table = Table(page)
    match = table.begin(("Ada", "Bo", "Cy"), rulebook="challenge-500", target="50")
    table.round("Ada", ("wild",), ("7",))
    expect(page.locator(".standing:has-text('Bo')")).to_contain_text("out since round 1")
    expect(page.locator("main")).to_contain_text("Head to head: Ada and Cy play for the match.")
    settle_a_challenge(table, "main >> text=Ada", "Yes", "No")
    expect(page.locator("main")).to_contain_text("Cy draws 6")
    page.goto(match)
    table.round("Ada", ("skip",))
    table.expect_totals({"Ada": 0, "Cy": 27, "Bo": 50})
    table.round("Ada", ("3", "skip"))
    expect(page.locator(".result")).to_contain_text("Ada wins!")
    assert_nothing_sticks_out(page)
    page.goto("/history" + match[match.index("/matches") :])
    expect(page.locator("main")).to_contain_text("Ada wins!")
    expect(page.locator("main")).to_contain_text("Wild Draw Four")


def test_partners_sit_opposite_share_their_totals_and_win_together(page: Page) -> None:
    table = Table(page)
    page.goto("/matches/new?rulebook=partners")
    seat(page, "Ada", "Bo", "Cy", "Di")
    choose_rulebook(page, "partners")
    page.click("[data-extras] summary")
    page.fill("#target", "100")
    page.fill("#rounds_to_play", "9")
    page.tap("text=Review rules")
    expect(page.get_by_text("first to 100 · 9 rounds")).to_be_visible()
    page.tap("text=Ada and Cy against Bo and Di")
    page.tap("text=Start match")
    page.wait_for_selector(".standings")
    page.wait_for_load_state("domcontentloaded")
    match = page.url
    table.round("Ada", ("wild",), ("3", "skip"))
    table.expect_totals({"Ada": 73, "Cy": 73, "Bo": 0, "Di": 0})
    table.tap(".standing:has-text('Bo')")
    expect(page.locator("[data-people] button:has-text('Di')")).to_contain_text("not counted")
    assert_nothing_sticks_out(page)
    table.lay(("9",), ("draw-two",))
    page.wait_for_selector("#pad", state="hidden")
    table.expect_totals({"Ada": 73, "Cy": 73, "Bo": 29, "Di": 29})
    settle_a_challenge(table, ".option:has-text('Bo then Cy')", "Yes, Cy", "No")
    page.goto("/")
    expect(page.locator("main")).to_contain_text("Round 3 of 9, Ada and Cy lead")
    page.goto(match)
    table.round("Cy", ("wild",), ("2",))
    expect(page.locator(".result")).to_contain_text("Ada and Cy win!")
    table.expect_totals({"Ada": 125, "Cy": 125, "Bo": 29, "Di": 29})
    assert_nothing_sticks_out(page)
    page.goto("/history")
    expect(page.locator("main")).to_contain_text("Ada and Cy 125")
    page.goto("/history" + match[match.index("/matches") :])
    expect(page.locator("main svg[role=img]")).to_contain_text("Ada and Cy 125")
    expect(page.locator("main")).to_contain_text("Ada and Cy led from the first round")


def test_special_cards_of_a_box_of_112_are_worth_what_the_table_s_edition_says(page: Page) -> None:
    table = Table(page)
    page.goto("/matches/new?rulebook=official")
    seat(page, "Ada", "Bo")
    page.click("[data-extras] summary")
    page.select_option("#deck", "112-swap")
    assert "attack-1" not in page.locator("#deck option:not([hidden])").evaluate_all("all => all.map(o => o.value)")
    page.tap("text=Review rules")
    expect(page.get_by_text("short sheets since 2021, any wild is worth 50")).to_be_visible()
    expect(page.get_by_label("Wild Swap Hands")).to_have_value("40")
    page.fill("[name=worth-wild-swap-hands]", "50")
    page.fill("[name=worth-wild-customizable]", "50")
    page.tap("text=Start match")
    page.wait_for_selector(".standings")
    page.wait_for_load_state("domcontentloaded")
    match = page.url
    table.round("Ada", ("wild-swap-hands", "wild-customizable", "wild-customizable", "5"))
    table.expect_totals({"Ada": 155, "Bo": 0})
    page.goto(match + "/menu")
    expect(page.locator(".rule-card")).to_contain_text("112 cards with Swap Hands")


def set_up_attack(page: Page, box: str, worths: dict[str, str]) -> str:
    """Start a match of three with a box of UNO Attack! and the points agreed for its cards; return its address."""
    page.goto("/" if page.context.cookies() == [] else "/matches/new")
    seat(page, "Ada", "Bo", "Cy")
    expect(page.get_by_text("Which box do you have?")).to_be_hidden()
    choose_rulebook(page, "attack")
    page.check(f"[name=box-attack][value={box}]")
    assert_nothing_sticks_out(page)
    page.tap("text=Review rules")
    page.wait_for_selector(".rule-card")
    if worths:
        page.tap("text=Start match")
        expect(page.locator(".error")).to_have_count(len(worths))
    for face, points in worths.items():
        page.fill(f"[name=worth-{face}]", points)
    page.tap("text=Start match")
    page.wait_for_selector(".standings")
    page.wait_for_load_state("domcontentloaded")
    return page.url


def test_an_evening_of_attack_from_the_box_to_history(page: Page) -> None:
    match, table = set_up_attack(page, "attack-1", {}), Table(page)
    table.round("Ada", ("discard-all", "trade-hands"), ("hit-two", "7"))
    table.expect_totals({"Ada": 87})
    table.tap(".tabs >> text=Dispute")
    page.click("text=What a card does")
    page.click(".option:has-text('Ada then Bo')")
    page.click("[data-face='hit-two'], a.option:has-text('Hit 2'), button:has-text('Hit 2')")
    expect(page.locator("#ruling")).to_have_text("Bo presses the launcher twice")
    page.click("text=Save ruling")
    expect(page.locator("#rulings-title")).to_be_visible()
    page.goto(match)
    table.round("Bo", ("wild-hit-fire", "skip"), ("wild-all-hit", "9"))
    table.round("Ada", ("reverse",), ("1",))
    table.expect_totals({"Ada": 108, "Bo": 129})
    page.goto(match + "/menu")
    page.click("text=End the match")
    expect(page.locator(".result")).to_contain_text("Bo wins!")
    page.goto("/history" + match[match.index("/matches") :])
    expect(page.locator("main")).to_contain_text("presses the launcher")
    assert_nothing_sticks_out(page)


def test_the_later_box_counts_what_the_table_agreed_on_with_a_connection_and_without(new_phone: NewPhone) -> None:
    page = new_phone(service_workers="allow").new_page()
    match, table = set_up_attack(page, "attack-2", {"hit-one": "20", "wild-attack-attack": "50"}), Table(page)
    assert page.locator("[data-face='trade-hands']").count() == 0
    table.round("Ada", ("hit-one", "wild-attack-attack", "6"), ("discard-all",))  # A19, and a card of 30
    table.expect_totals({"Ada": 106})
    page.wait_for_function("() => navigator.serviceWorker.controller !== null")
    page.context.set_offline(True)
    table.round("Bo", ("hit-one",), ("wild-attack-attack", "hit-two"))
    expect(page.locator("main")).to_contain_text("Will send when you’re back online")
    expect(page.locator(".standing:has-text('Bo')")).to_contain_text("90")
    page.context.set_offline(False)
    page.reload()
    table.expect_totals({"Ada": 106, "Bo": 90})
    page.goto(match + "/menu")
    page.click("text=End the match")
    page.click("text=Rematch")
    page.wait_for_url(lambda address: "/matches/" in address and match not in address)
    page.wait_for_selector(".standings")
    table.round("Cy", ("wild-attack-attack",), ("hit-one",))
    table.expect_totals({"Cy": 70})
