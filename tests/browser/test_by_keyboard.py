"""Without a finger or a mouse: a match by keys alone, and one by what assistive technology is told."""

import re

from playwright.sync_api import Locator, Page, expect

MOST_TABS = 40
"""How often the Tab key is pressed at most to come to something: more would be no way there."""


class Keyboard:
    """Presses keys, and knows where they have led."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def go(self, to: Locator) -> None:
        """Press Tab until the focus is there."""
        for _ in range(MOST_TABS):
            if to.evaluate("one => one === document.activeElement"):
                return
            self.press("Tab")
        expect(to).to_be_focused()

    def use(self, to: Locator) -> None:
        """Go there and press Enter."""
        self.go(to)
        self.press("Enter")

    def arrow(self, to: Locator, most: int = MOST_TABS) -> None:
        """Go to a key of the pad by Arrow Down and Right, down as far as there is a row below."""
        for _ in range(most):
            if to.evaluate("one => one === document.activeElement"):
                return
            below = to.evaluate("one => one.offsetTop > (document.activeElement?.offsetTop ?? 0)")
            outside = not to.evaluate("one => one.parentElement.contains(document.activeElement)")
            self.press("ArrowDown" if below or outside else "ArrowRight")
        expect(to).to_be_focused()


def test_a_match_is_played_by_keys_alone(page: Page) -> None:
    keys = Keyboard(page)
    page.goto("/matches/new")
    keys.press("Tab")
    expect(page.locator(".skip-link")).to_be_focused()
    keys.press("Enter")
    expect(page.locator("#main")).to_be_focused()
    for seat, name in enumerate(("Ada", "Bo", "Cy")):
        keys.go(page.locator(f"#players-{seat}"))
        page.keyboard.type(name)
    keys.use(page.get_by_role("button", name="Review rules"))
    keys.use(page.get_by_role("button", name="Start match"))
    row = page.locator("a.standing", has_text="Ada")
    expect(row).to_have_accessible_name("Ada, total 0. deals Record that Ada went out")
    for number in range(1, 5):
        keys.use(row)
        pad = page.get_by_role("dialog", name="Ada went out")
        expect(pad).to_have_attribute("aria-modal", "true")
        skip = pad.locator("[data-face='skip']")
        keys.arrow(skip, most=3)
        if number == 1:
            _stays_in_the_pad(keys, pad)
            keys.press("Escape")
            expect(row).to_be_focused()
            keys.press("Enter")
            keys.arrow(skip, most=3)
        keys.press("Enter")
        keys.arrow(pad.locator("[data-face='wild']"))
        keys.press("Enter", "Enter")
        keys.use(pad.locator("[data-next]"))
        expect(pad.locator("[data-turn]")).to_have_text("Cy")
        keys.press("9")
        page.wait_for_selector("[data-next]:not([data-resting])")
        keys.use(pad.locator("[data-next]"))
        expect(page.locator(".rounds tbody tr")).to_have_count(number)
        if number < 4:
            expect(row).to_be_focused()
            told = rf"^Ada, place 1, total {129 * number}\. .*Record that Ada went out$"
            expect(row).to_have_accessible_name(re.compile(told))
    expect(page.locator("main")).to_contain_text("Ada wins!")
    keys.use(page.get_by_role("button", name="Undo"))  # while its message is there
    expect(row).to_be_visible()


def _stays_in_the_pad(keys: Keyboard, pad: Locator) -> None:
    """Tab round the pad once, and more: the sheet under it is never reached."""
    for _ in range(14):
        keys.press("Tab")
        assert pad.evaluate("one => one.contains(document.activeElement) || document.activeElement === document.body")


def test_a_match_is_played_by_what_assistive_technology_is_told(page: Page) -> None:
    page.goto("/matches/new")
    for seat, name in enumerate(("Ada", "Bo", "Cy"), 1):
        page.get_by_role("textbox", name=f"Seat {seat}").fill(name)
    page.get_by_role("button", name="Review rules").click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.get_by_role("button", name="Start match").click()
    standings = page.get_by_role("list", name="Standings").get_by_role("listitem")
    expect(standings).to_have_count(3)
    for _ in range(4):
        page.get_by_role("link", name="Record that Ada went out").click()
        pad = page.get_by_role("dialog", name="Ada went out")
        cards = pad.get_by_role("toolbar", name="Cards")
        for card in ("Wild", "Wild", "Skip", "Draw Two"):
            cards.get_by_role("button", name=card).first.click()
        expect(page.get_by_role("status").filter(has_text="Draw Two. 140.")).to_be_attached()
        pad.get_by_role("button", name="Take back Skip").click()
        pad.get_by_role("button", name="Next: Cy").click()
        cards.get_by_role("button", name="9", exact=False).first.click()
        save = pad.get_by_role("button", name="Save round")
        page.wait_for_selector("[data-next]:not([data-resting])")
        save.click()
        expect(pad).to_be_hidden()
    expect(page.get_by_text("Ada wins!").first).to_be_visible()
    rounds = page.get_by_role("table").get_by_role("row")
    expect(rounds).to_have_count(5)
    expect(page.get_by_role("columnheader", name="Ada")).to_be_attached()
