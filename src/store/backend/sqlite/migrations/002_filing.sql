-- How the user keeps sessions: in the archive, in the trash, under tags (a JSON list of words). The log of the session says
-- the same, the tags as a digest.
ALTER TABLE sessions ADD COLUMN archived_at INTEGER;
ALTER TABLE sessions ADD COLUMN trashed_at INTEGER;
ALTER TABLE sessions ADD COLUMN tags TEXT NOT NULL DEFAULT '[]';

-- Few sessions are in them, so that looking for those costs next to nothing.
CREATE INDEX sessions_in_archive ON sessions(archived_at) WHERE archived_at IS NOT NULL;
CREATE INDEX sessions_in_trash ON sessions(trashed_at) WHERE trashed_at IS NOT NULL;
CREATE INDEX sessions_with_tags ON sessions(tags) WHERE tags <> '[]';
