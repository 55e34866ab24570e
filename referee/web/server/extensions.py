"""Hold the database extension, made once and bound to an app by ``create_app``."""

from __future__ import annotations

from flask_sqlalchemy import SQLAlchemy

from referee.records.models import Base

db = SQLAlchemy(model_class=Base, session_options={"expire_on_commit": False})
"""What a request has just written it need not read again to answer; the next request reads anew."""
