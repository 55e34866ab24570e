"""Statements that every round needs, put into the driver's words once and said to it: a quarter of SQLAlchemy's price.

They run on the connection, and so in the transaction, of the session that asks. What the driver gives is turned into
Python's values by the types of the columns, as SQLAlchemy does; what it refuses is raised as SQLAlchemy's errors.
While anybody listens to what an engine is asked, SQLAlchemy says it all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar, cast

from sqlalchemy import Connection, Dialect, Float, Numeric, Select, bindparam, event, insert, inspect
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session, SessionTransaction, configure_mappers, make_transient_to_detached
from sqlalchemy.sql.dml import Insert, UpdateBase
from sqlalchemy.types import TypeEngine

from referee.records.models import Base, columns_of

Row = tuple[Any, ...]
Given = Mapping[str, Any]
M = TypeVar("M", bound=Base)


class Plain:
    """One statement, its parameters given by name; every one of them is a `bindparam` or a value that stays."""

    def __init__(self, statement: Select[Any] | UpdateBase) -> None:
        self._statement = statement
        self._written: dict[str, _Written] = {}

    def rows(self, session: Session, **given: Any) -> list[Row]:
        """Give the rows of a SELECT; what the session has not written yet is not among them."""
        connection = _connection_of(session)
        if connection.engine.dispatch.before_cursor_execute:
            return [tuple(row) for row in connection.execute(self._statement, given)]
        return self._in_words_of(connection.dialect).read(self._said(connection, given).fetchall())

    def row(self, session: Session, **given: Any) -> Row | None:
        """Give the only row of a SELECT; None where there is none."""
        rows = self.rows(session, **given)
        assert len(rows) <= 1
        return rows[0] if rows else None

    def run(self, session: Session, **given: Any) -> int:
        """Write, and give the number of rows concerned."""
        connection = _connection_of(session)
        if connection.engine.dispatch.before_cursor_execute:
            return connection.execute(self._statement, given).rowcount
        return int(self._said(connection, given).rowcount)

    def each(self, session: Session, rows: Sequence[Given]) -> None:
        """Write several rows."""
        connection = _connection_of(session)
        if connection.engine.dispatch.before_cursor_execute:
            connection.execute(self._statement, rows)
        else:
            self._said(connection, *rows)

    def _in_words_of(self, dialect: Dialect) -> _Written:
        written = self._written.get(dialect.name)
        if written is None:
            written = self._written[dialect.name] = _Written(self._statement, dialect)
        return written

    def _said(self, connection: Connection, *given: Given) -> Any:
        written = self._in_words_of(connection.dialect)
        return say_to_driver(connection, written.text, *[written.parameters(each) for each in given])


def say_to_driver(connection: Connection, text: str, *parameters: Any) -> Any:
    """Say a statement in the driver's own words, with one set of parameters or several; gives the driver's cursor."""
    driver: Any = connection.connection.driver_connection
    try:
        if len(parameters) > 1:
            return driver.cursor().executemany(text, parameters)
        return driver.execute(text, *parameters)
    except connection.dialect.loaded_dbapi.Error as error:
        gone = connection.dialect.is_disconnect(error, driver, None)
        if gone:
            connection.invalidate(error)
        raise DBAPIError.instance(
            text,
            parameters,
            error,
            connection.dialect.loaded_dbapi.Error,
            hide_parameters=connection.engine.hide_parameters,
            connection_invalidated=gone,
            dialect=connection.dialect,
        ) from error


CONNECTION = "referee.connection"
"""Where a session notes the connection of its transaction: to ask SQLAlchemy for it costs as much as a statement."""


def _connection_of(session: Session) -> Connection:
    found: Connection | None = session.info.get(CONNECTION)
    return session.connection() if found is None else found


@event.listens_for(Session, "after_begin")
def _note_connection(session: Session, _transaction: SessionTransaction, connection: Connection) -> None:
    session.info[CONNECTION] = connection


@event.listens_for(Session, "after_transaction_end")
def _forget_connection(session: Session, transaction: SessionTransaction) -> None:
    if transaction.parent is None:
        session.info.pop(CONNECTION, None)


FLOAT8, DECIMAL = 701, 1700
"""Types of PostgreSQL (`pg_type.oid`)."""


def _code(kind: TypeEngine[Any]) -> int | None:
    """Give PostgreSQL's code of a number's type, without which its driver's dialect converts none; no other asks."""
    return FLOAT8 if isinstance(kind, Float) else DECIMAL if isinstance(kind, Numeric) else None


class _Written:
    """A statement in the words of one database, with what turns its values to and fro."""

    def __init__(self, statement: Select[Any] | UpdateBase, dialect: Dialect) -> None:
        said: Any = statement.compile(dialect=dialect)
        assert not (*said.insert_prefetch, *said.update_prefetch), "a value that SQLAlchemy makes"
        self.text = str(said)
        kinds = {name: bound.type.dialect_impl(dialect) for bound, name in said.bind_names.items()}
        self._puts = [(name, kind.bind_processor(dialect), said.params[name]) for name, kind in kinds.items()]
        self._order: tuple[str, ...] | None = None if said.positiontup is None else tuple(said.positiontup)
        columns = statement.selected_columns if isinstance(statement, Select) else ()
        gets = [column.type.dialect_impl(dialect).result_processor(dialect, _code(column.type)) for column in columns]
        self._gets: list[tuple[int, Callable[[Any], Any]]] = [(at, get) for at, get in enumerate(gets) if get]

    def parameters(self, given: Given) -> Any:
        """Give the parameters as the driver takes them, by name or in their order."""
        named = {}
        for name, put, usual in self._puts:
            value = given.get(name, usual)
            named[name] = put(value) if put is not None else value
        return named if self._order is None else [named[name] for name in self._order]

    def read(self, rows: list[Row]) -> list[Row]:
        """Turn what the driver gave into Python's values."""
        gets = self._gets
        if not gets:
            return rows
        read = []
        for row in rows:
            values = list(row)
            for at, get in gets:
                values[at] = get(values[at])
            read.append(tuple(values))
        return read


def adding(model: type[Base], names: Iterable[str] = ()) -> Insert:
    """Give the statement that adds a row of a model: all of its columns, or those of these names."""
    columns = columns_of(model)
    return insert(Base.metadata.tables[model.__tablename__]).values(
        {name: bindparam(name, type_=columns[name].type) for name in names or columns.keys()}
    )


def look_of(model: type[M], row: Row) -> M:
    """Give what a whole row says as an object of its model, to be read only: no session writes what is set on it."""
    found: M = model.__mapper__.class_manager.new_instance()
    found.__dict__.update(zip(_names(model), row, strict=True))
    return found


def attached(session: Session, look: M) -> M:
    """Give the session's own object for what `look_of` gave: what is set on it is written."""
    identity = inspect(type(look)).identity_key_from_instance(look)
    own = cast(M | None, session.identity_map.get(identity))
    if own is None:
        make_transient_to_detached(look)
        session.add(look)
        return look
    return own


def _names(model: type[Base]) -> list[str]:
    names = _NAMES.get(model)
    if names is None:
        configure_mappers()  # else, until the first query by a model does it, no attribute of a new object can be read
        names = _NAMES[model] = [column.key for column in model.__table__.columns]
    return names


_NAMES: dict[type[Base], list[str]] = {}
