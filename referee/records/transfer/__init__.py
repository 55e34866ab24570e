"""A club out of the app and back in: its document, its checks, and scores that were kept on paper."""
