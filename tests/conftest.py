"""Fixtures for everybody. What they stand on is in ``tests.ground``."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import pytest
from flask import Flask
from hypothesis import settings
from playwright.sync_api import Browser, BrowserContext, Page, expect
from sqlalchemy.orm import Session

from referee import create_app
from referee.web.server.database import db
from tests.ground.browser import MISSING, PHONE, REQUIRED, NoBrowser, check_accessibility, complaints, running_browser
from tests.ground.client import Client, browser_of
from tests.ground.house import House, furnish
from tests.ground.postgresql import NoPostgreSQL, fresh_database, running_postgresql
from tests.ground.server import Server, running_server

CAST = ("Ada", "Bo", "Cy", "Di")
DATABASE = os.environ.get("REFEREE_TEST_DATABASE", "sqlite")
TEMPLATE = "template_referee"
EXTENDED = (
    # Sweeps: all that could be sent, heard, named or opened
    "abuse/", "fuzz/", "rules/test_disputes_anything.py", "rules/test_disputes_names.py", "rules/test_disputes_tree.py",
    "rules/test_own_pairs.py",
    "rules/test_lookup.py::test_wordings_that_were_left_out", "rules/test_rulings_hold.py",
    "records/test_any_sequence.py", "records/test_releases.py::test_phones_stay_in",
    "web/test_any_rulebook.py", "web/test_bad_requests.py",
    "web/test_disputes_names.py", "web/test_hostile_texts.py", "web/test_phone_pages.py", "web/test_queries.py",
    "web/test_deleting.py::test_every_address", "web/test_deleting.py::test_what_is_deleted_and_restored_at_once",
    "web/test_protections.py::test_no_address_sends_anybody", "web/test_routes.py", "web/api/test_openapi.py",
    "web/api/test_rulings.py::test_a_ruling_on_any_card_of_a_box", "web/test_plans.py",
    "test_translations.py::test_no_english_is_left_in_any_hearing",
    "test_translations.py::test_what_settings_say_is_said",
    "test_translations.py::test_no_english_is_left_on_any_page", "test_translations.py::test_flaws_are_named",
    "rules/test_lookup_measured.py::test_wordings_of_a_clause",
    "web/api/test_transfer.py::test_a_broken_document", "web/api/test_transfer.py::test_however_many_rounds",
    "web/api/test_any_history.py::test_many_clubs",
    "web/api/test_own_rulebooks.py::test_a_page_reads_none_of_fifty", "web/api/test_examples.py",
    "web/api/test_generated_clients.py",
    # Processes: servers that are killed, pytest itself, the wheel, containers, proxies, the documentation site
    "faults/", "test_containers.py", "test_ground.py", "test_lock.py", "test_proxies_and_units.py", "test_site.py",
    "test_wheel.py", "rules/test_documents_examples.py::test_the_kitchen_of_the_page",
    "web/test_database.py::test_several_servers",
    "test_run.py::test_the_demo_shows_itself",
    # The browser, but for EVERY_DAY
    "browser/",
)  # fmt: skip
"""Folders, files and single tests that `python3 run test` leaves to `python3 run test all`."""
EVERY_DAY = (
    "browser/test_main_pages.py", "test_translations.py::test_no_english_is_left_in_any_hearing[classic-500]",
    "web/test_hostile_texts.py::test_pages_and_their_drawings_hold_names_as_text[script]",
)  # fmt: skip
"""What `python3 run test` runs all the same."""
ON_SQLITE = (
    # What a page shows of what others wrote
    "web/test_any_rulebook.py", "web/test_cached_pages.py", "web/test_disputes_names.py", "web/test_disputes_pages.py",
    "web/test_language.py", "web/test_live.py",
    "web/test_local_time.py", "web/test_matches_taken_along.py", "web/test_offline.py",
    "web/test_phone_pages.py", "web/test_public.py", "web/test_rules_pages.py", "web/test_ruling_pictures.py",
    "web/test_sharing.py", "web/test_winner.py", "web/api/test_hearings.py",
    "web/api/test_other_boxes.py", "web/api/test_rules.py", "web/api/test_score.py", "test_licences.py",
    "test_proxies_and_units.py",
    # Doors, headers, sizes and limits, before anything asks the database
    "faults/test_logs.py", "faults/test_proxies.py", "web/test_house.py", "web/test_limits.py", "web/test_metrics.py",
    "web/test_protections.py", "web/test_routes.py", "web/test_server.py", "web/test_sizes.py",
    "web/test_tokens.py", "web/api/test_contract.py", "web/api/test_generated_clients.py", "web/api/test_limits.py",
)  # fmt: skip
"""Tests that use a database and to which all databases are the same: `-m database` leaves them out."""
LEFT_OUT = pytest.StashKey[int]()

PATIENCE = 30_000
"""Milliseconds that a page may take for anything: no test is about how busy the machine is."""

expect.set_options(timeout=PATIENCE)
settings.register_profile("the same", derandomize=True, deadline=None, database=None)  # no test is red by chance
settings.load_profile("the same")


class MakeApp(Protocol):
    """Make an app on the test's database; keywords are settings."""

    def __call__(self, **settings: Any) -> Flask: ...


class NewPhone(Protocol):
    """Open a browser of its own (cookies, storage); keywords are those of playwright's ``new_context``."""

    def __call__(self, **options: Any) -> BrowserContext: ...


@pytest.fixture
def cast() -> tuple[str, ...]:
    """The four who play in every test."""
    return CAST


# -- databases ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def new_database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[ExitStack, Path], str]]:
    """Make databases that have their tables: on SQLite, or on PostgreSQL if REFEREE_TEST_DATABASE says so."""
    if DATABASE == "postgresql":
        with ExitStack() as stack:
            yield _postgresql_databases(stack)
    else:
        yield _sqlite_databases(tmp_path_factory.mktemp("template"))


def _sqlite_databases(folder: Path) -> Callable[[ExitStack, Path], str]:
    template = folder / "referee.db"
    close(create_app({"SECRET_KEY": "x", "SQLALCHEMY_DATABASE_URI": f"sqlite:///{template}"}))

    def make(_stack: ExitStack, where: Path) -> str:
        file = where / "referee.db"
        for left in where.glob(f"{file.name}*"):  # the write-ahead log too, where a connection was left open
            left.unlink()
        shutil.copy(template, file)
        return f"sqlite:///{file}"

    return make


def _postgresql_databases(stack: ExitStack) -> Callable[[ExitStack, Path], str]:
    try:
        address = stack.enter_context(running_postgresql())
    except NoPostgreSQL as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"no PostgreSQL: {error}")
    template = stack.enter_context(fresh_database(address, TEMPLATE))
    close(create_app({"SECRET_KEY": "x", "SQLALCHEMY_DATABASE_URI": template}))

    def make(stack: ExitStack, where: Path) -> str:
        return stack.enter_context(fresh_database(address, f"test_{where.name}", TEMPLATE))

    return make


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the databases of the tests lie, one after the other: one app can serve them all."""
    return tmp_path_factory.mktemp("database")


@pytest.fixture
def database(new_database: Callable[[ExitStack, Path], str], place: Path) -> Iterator[str]:
    """The address of a fresh database with its tables."""
    with ExitStack() as stack:
        yield new_database(stack, place)


# -- the app -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def make_app(database: str, tmp_path: Path) -> Iterator[MakeApp]:
    """Make apps on one fresh database. Rate limits are off unless asked for; CSRF is on, always."""
    apps: list[Flask] = []

    def make(**settings: Any) -> Flask:
        apps.append(app_on(database, tmp_path / "instance", **settings))
        return apps[-1]

    yield make
    for app in apps:
        close(app)


@pytest.fixture(scope="session")
def shared_app(
    new_database: Callable[[ExitStack, Path], str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Flask]:
    """The app of most tests, once a worker: making one takes longer than a test."""
    folder = tmp_path_factory.mktemp("shared")
    with ExitStack() as stack:
        app = app_on(new_database(stack, folder), folder / "instance")
        yield app
        close(app)


@pytest.fixture(scope="session")
def usual_app(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Flask]:
    """Make the app of a fresh database once for each address."""
    folder = tmp_path_factory.mktemp("instance")
    return cache(lambda address: app_on(address, folder))


@pytest.fixture
def app(request: pytest.FixtureRequest, shared_app: Flask, usual_app: Callable[[str], Flask]) -> Iterator[Flask]:
    """The app on a real database that other tests use too: clubs are tenants, and each test founds its own.

    A test that counts all clubs, breaks rows or needs an empty database asks for `database` as well, and gets the app
    of that one. A test that adds to an app makes its own by `make_app`.
    """
    alone = "database" in request.fixturenames
    app = usual_app(request.getfixturevalue("database")) if alone else shared_app
    config, views = dict(app.config), dict(app.view_functions)
    yield app
    app.config.clear()
    app.config |= config
    app.view_functions = views
    if alone:
        close(app)


def app_on(address: str, instance: Path, **settings: Any) -> Flask:
    """Make an app as the tests want it, on the database at an address."""
    usual = {
        "TESTING": True, "INSTANCE": str(instance), "SECRET_KEY": "the same for every app of a test",
        "SQLALCHEMY_DATABASE_URI": address, "RATELIMIT_ENABLED": False,
    }  # fmt: skip
    app = create_app(usual | settings)
    app.test_client_class = Client
    return app


def close(app: Flask) -> None:
    """Close the app's connections to its database."""
    with app.app_context():
        db.session.remove()
        db.engine.dispose()


@pytest.fixture
def session(app: Flask) -> Iterator[Session]:
    """The database session, in the context of the app."""
    with app.app_context():
        yield db.session()


@pytest.fixture
def client(app: Flask) -> Client:
    """A browser without scripts or sight: cookies, and the CSRF token of its session."""
    return browser_of(app)


@pytest.fixture
def house(app: Flask) -> House:
    """Furnish a club by the interface that programs use."""
    return furnish(app)


@pytest.fixture(scope="session")
def shared_server(shared_app: Flask) -> Iterator[Server]:
    """The shared app behind waitress."""
    with running_server(shared_app) as server:
        yield server


@pytest.fixture
def server(app: Flask, shared_app: Flask, request: pytest.FixtureRequest) -> Iterator[Server]:
    """The app behind waitress on a free port."""
    if app is shared_app:
        yield request.getfixturevalue("shared_server")
    else:
        with running_server(app) as server:
            yield server


# -- the browser -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium, once for all tests; without one they are skipped, or fail with REFEREE_REQUIRE_BROWSER=1."""
    with ExitStack() as stack:
        try:
            browser = stack.enter_context(running_browser())
        except NoBrowser as error:
            if REQUIRED:
                raise
            pytest.skip(str(error))
        yield browser


@pytest.fixture
def new_phone(browser: Browser, server: Server) -> Iterator[NewPhone]:
    """Open phones of 390 × 844 on the server: ``new_phone(color_scheme="dark")``, ``java_script_enabled=False``…"""
    phones: list[BrowserContext] = []

    def make(**options: Any) -> BrowserContext:
        phone = browser.new_context(**(PHONE | {"base_url": server.url} | options))
        phone.set_default_timeout(PATIENCE)
        phones.append(phone)
        return phone

    yield make
    for phone in phones:
        phone.close()


@pytest.fixture
def page(new_phone: NewPhone) -> Iterator[Page]:
    """A page on a phone: ``page.goto("/")``. Script errors and what the security policy blocks fail the test."""
    page = new_phone().new_page()
    heard = complaints(page)
    yield page
    assert not heard, heard


@pytest.fixture
def axe() -> Callable[[Page], None]:
    """Fail when axe finds anything: ``axe(page)``."""
    return check_accessibility


# -- the last line -----------------------------------------------------------------------------------------------------


def pytest_deselected(items: list[pytest.Item]) -> None:
    """Count what is left out."""
    for item in items:
        item.config.stash[LEFT_OUT] = item.config.stash.get(LEFT_OUT, 0) + 1


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take the count over from a worker process: each of them collects, and leaves out, the same tests."""
    node.config.stash[LEFT_OUT] = getattr(node, "workeroutput", {}).get("left out", 0)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> Iterator[None]:
    """Write at the very end how many tests had no browser, and how many were left to `python3 run test all`.

    A test that was skipped must not be taken for one that passed.
    """
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left out"] = session.config.stash.get(LEFT_OUT, 0)
    yield
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None:
        return
    left_out = session.config.stash.get(LEFT_OUT, 0)
    if left_out and session.config.option.markexpr == "not extended":
        reporter.write_line(f"{left_out} tests left out: python3 run test all runs everything")
    without = sum(MISSING in str(report.longrepr) for report in reporter.stats.get("skipped", []))
    if without:
        tests = "1 browser test" if without == 1 else f"{without} browser tests"
        reporter.write_line(f"{tests} skipped: {MISSING}. Install one: apt-get install chromium")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Tell plainly why a browser test failed: in playwright's greenlets Python 3.11 may fail to parse source for it."""
    style = item.config.option.tbstyle
    if item.get_closest_marker("browser"):
        item.config.option.tbstyle = "native"
    try:
        return (yield)
    finally:
        item.config.option.tbstyle = style


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what `python3 run test` leaves out, what needs the browser, and what there is to see on either database.

    Pages in a browser get the same answers from both, which the tests without a browser hold; those that are about
    the database all the same say so by the mark. What is left out goes first, for its tests are the long ones, and one
    of them begun at the end would have all processors but one wait for it: the first is that of minutes, which hardly
    needs a processor.
    """
    for item in items:
        where = item.nodeid.removeprefix("tests/")
        if where.startswith(EXTENDED) and not where.startswith(EVERY_DAY):
            item.add_marker(pytest.mark.extended)
        needed = getattr(item, "fixturenames", ())
        if "browser" in needed:
            item.add_marker(pytest.mark.browser)
            if os.environ.get("CI") and config.pluginmanager.hasplugin("rerunfailures"):
                # Where others' work waits for it, a slow machine may be slow once; the last line counts such tests
                item.add_marker(pytest.mark.flaky(reruns=1))
        elif "new_database" in needed and not where.startswith(ON_SQLITE):
            item.add_marker(pytest.mark.database)
    items.sort(key=lambda item: ("test_patroni" not in item.nodeid, item.get_closest_marker("extended") is None))
