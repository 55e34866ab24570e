"""Forms: they check shapes and keep what was typed; whether it can be is for the rules and the records to say."""
