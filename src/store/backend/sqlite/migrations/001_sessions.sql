-- The first format. Migrations are append-only: this file never changes once released.
-- Ids are 16 bytes, digests 32, moments milliseconds since 1970 (UTC), JSON is text.
-- There is one tenant as yet, `local`: its column stands where the source document has one.

CREATE TABLE projects (
    id          BLOB PRIMARY KEY NOT NULL,
    name        TEXT NOT NULL UNIQUE,
    created_at  INTEGER NOT NULL
) STRICT;

-- Engines by the digest of their files.
CREATE TABLE engines (
    hash        BLOB PRIMARY KEY NOT NULL,
    engine_id   TEXT NOT NULL,
    version     TEXT NOT NULL,
    files       TEXT NOT NULL
) STRICT;

-- One short row per session, so that a list of them reads few pages. State and draft stand apart.
CREATE TABLE sessions (
    id                  BLOB PRIMARY KEY NOT NULL,
    project_id          BLOB NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    engine_hash         BLOB NOT NULL REFERENCES engines(hash),
    title               TEXT NOT NULL,
    title_folded        TEXT NOT NULL,
    title_source        TEXT NOT NULL,
    created_at          INTEGER NOT NULL,
    updated_at          INTEGER NOT NULL,
    turn                INTEGER NOT NULL,
    phase               TEXT NOT NULL,
    completeness        REAL NOT NULL,
    inbound_handoff_id  BLOB REFERENCES handoffs(id) ON DELETE SET NULL,
    outbound_handoff_id BLOB REFERENCES handoffs(id) ON DELETE SET NULL,
    forked_session      BLOB,
    forked_turn         INTEGER,
    engine_folder       TEXT,               -- where the engine was read from: its programs are looked for there
    claimed_by          BLOB,               -- the process that has a turn under way, if it lives
    keyed_since         INTEGER,            -- the first event that the log key has sealed, if one has
    revision            INTEGER NOT NULL,   -- seq of the last event that changed the state
    tip                 INTEGER NOT NULL,   -- seq of the commit whose state is the current one
    head_seq            INTEGER NOT NULL,   -- the last event of the log, to notice a cut end
    head_hash           BLOB NOT NULL,
    head_mac            BLOB                -- the same, sealed with the log key
) STRICT;
CREATE INDEX sessions_by_change ON sessions(updated_at DESC, id DESC);
CREATE INDEX sessions_by_project ON sessions(project_id, updated_at DESC);
CREATE INDEX sessions_by_engine ON sessions(engine_hash);
CREATE INDEX sessions_by_inbound ON sessions(inbound_handoff_id);
CREATE INDEX sessions_by_outbound ON sessions(outbound_handoff_id);

-- The current state, whole.
CREATE TABLE states (
    session_id  BLOB PRIMARY KEY NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
    state       TEXT NOT NULL
) STRICT;

-- What was written and is no part of the conversation yet: what stands in the composer (`draft`), and the message whose
-- answer is under way (`sent`), written ahead of the first byte to an endpoint. `replaces` is the turn in whose place it
-- would be said. `cover` is as long as a page and comes first, so that the words always stand in pages of their own, which
-- are overwritten when they go; in a page that rows share, copies may stay behind when rows are moved.
CREATE TABLE unsent (
    session_id  BLOB NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
    place       TEXT NOT NULL CHECK (place IN ('draft', 'sent')),
    cover       BLOB NOT NULL,
    words       TEXT NOT NULL,
    replaces    INTEGER,
    unanswered  INTEGER NOT NULL,
    UNIQUE (session_id, place)
) STRICT;

-- The log: what happened, as numbers and digests, each event sealed with the hash of the one before.
CREATE TABLE events (
    session_id  BLOB NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
    seq         INTEGER NOT NULL,
    kind        TEXT NOT NULL,
    at          INTEGER NOT NULL,
    payload     TEXT NOT NULL,
    prev        BLOB NOT NULL,
    hash        BLOB NOT NULL,
    mac         BLOB,
    PRIMARY KEY (session_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'the event log is append-only'); END;

-- When a session is deleted its row goes first, and the events follow it.
CREATE TRIGGER events_go_only_with_their_session BEFORE DELETE ON events
WHEN EXISTS (SELECT 1 FROM sessions WHERE id = OLD.session_id)
BEGIN SELECT RAISE(ABORT, 'the event log is append-only'); END;

-- Closes the way round the two above: INSERT OR REPLACE.
CREATE TRIGGER events_are_only_appended BEFORE INSERT ON events
WHEN NEW.seq <> (SELECT coalesce(max(seq), 0) + 1 FROM events WHERE session_id = NEW.session_id)
BEGIN SELECT RAISE(ABORT, 'the event log is append-only'); END;

-- One row per change of the state. `body` is the state whole (snapshot) or what turns the parent's state into it
-- (delta). `chain` counts the bytes of deltas since the last snapshot. `rewound_by` names the event that took it out of
-- view.
CREATE TABLE commits (
    session_id   BLOB NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
    seq          INTEGER NOT NULL,
    parent       INTEGER,
    turn         INTEGER NOT NULL,
    engine_hash  BLOB NOT NULL REFERENCES engines(hash),
    phase        TEXT NOT NULL,
    completeness REAL NOT NULL,
    rewound_by   INTEGER,
    encoding     TEXT NOT NULL CHECK (encoding IN ('snapshot', 'delta')),
    chain        INTEGER NOT NULL,
    body         TEXT NOT NULL,
    figures      TEXT,
    UNIQUE (session_id, seq)
) STRICT;
CREATE INDEX commits_in_view ON commits(session_id, turn, seq) WHERE rewound_by IS NULL;
CREATE INDEX commits_out_of_view ON commits(session_id) WHERE rewound_by IS NOT NULL;
CREATE INDEX commits_by_engine ON commits(engine_hash);

CREATE TABLE messages (
    key         INTEGER PRIMARY KEY,
    session_id  BLOB NOT NULL,
    seq         INTEGER NOT NULL,
    ordinal     INTEGER NOT NULL,
    id          BLOB NOT NULL,
    turn        INTEGER NOT NULL,
    role        TEXT NOT NULL,
    content     TEXT NOT NULL,
    created_at  INTEGER NOT NULL,
    meta        TEXT NOT NULL,
    in_view     INTEGER NOT NULL,
    UNIQUE (session_id, seq, ordinal),
    FOREIGN KEY (session_id, seq) REFERENCES commits(session_id, seq) ON DELETE CASCADE
) STRICT;

-- The index covers what is in view and stores no second copy of the words. Beginnings of two and three letters are
-- indexed too: collecting all the words that begin so takes seconds among a million messages.
CREATE VIEW said AS SELECT key, content FROM messages WHERE in_view;
CREATE VIRTUAL TABLE said_index USING fts5(
    content, content = 'said', content_rowid = 'key', tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3'
);
-- Without it a deleted word would stay readable in the index until the next merge.
INSERT INTO said_index(said_index, rank) VALUES ('secure-delete', 1);

CREATE TRIGGER messages_into_index AFTER INSERT ON messages WHEN NEW.in_view
BEGIN INSERT INTO said_index(rowid, content) VALUES (NEW.key, NEW.content); END;
CREATE TRIGGER messages_out_of_index AFTER DELETE ON messages WHEN OLD.in_view
BEGIN INSERT INTO said_index(said_index, rowid, content) VALUES ('delete', OLD.key, OLD.content); END;
CREATE TRIGGER messages_out_of_view AFTER UPDATE OF in_view ON messages WHEN OLD.in_view AND NOT NEW.in_view
BEGIN INSERT INTO said_index(said_index, rowid, content) VALUES ('delete', OLD.key, OLD.content); END;
CREATE TRIGGER messages_into_view AFTER UPDATE OF in_view ON messages WHEN NEW.in_view AND NOT OLD.in_view
BEGIN INSERT INTO said_index(rowid, content) VALUES (NEW.key, NEW.content); END;

-- `superseded_by` is the id of the later entry in view that took this one's place; the only column that changes once
-- an entry is written, and so the only one that the log does not cover.
CREATE TABLE extractions (
    session_id    BLOB NOT NULL,
    seq           INTEGER NOT NULL,
    ordinal       INTEGER NOT NULL,
    id            BLOB NOT NULL,
    turn          INTEGER NOT NULL,
    message_id    BLOB,
    engine_id     TEXT NOT NULL,
    field_path    TEXT NOT NULL,
    value         TEXT NOT NULL,
    confidence    REAL NOT NULL,
    kind          TEXT NOT NULL,
    reasoning     TEXT,
    evidence      TEXT NOT NULL,
    superseded_by BLOB,
    tenant_id     TEXT NOT NULL DEFAULT 'local',
    in_view       INTEGER NOT NULL,
    UNIQUE (session_id, seq, ordinal),
    FOREIGN KEY (session_id, seq) REFERENCES commits(session_id, seq) ON DELETE CASCADE
) STRICT;
CREATE INDEX extractions_by_field ON extractions(session_id, field_path);

-- A state kept on purpose, as what turns the state of its commit into it.
CREATE TABLE checkpoints (
    session_id     BLOB NOT NULL,
    seq            INTEGER NOT NULL,
    turn           INTEGER NOT NULL,
    delta          TEXT NOT NULL,
    context_tokens INTEGER NOT NULL,
    reason         TEXT NOT NULL,
    tenant_id      TEXT NOT NULL DEFAULT 'local',
    UNIQUE (session_id, seq),
    FOREIGN KEY (session_id, seq) REFERENCES commits(session_id, seq) ON DELETE CASCADE
) STRICT;

CREATE TABLE handoffs (
    id                BLOB PRIMARY KEY NOT NULL,
    project_id        BLOB NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    source_engine_id  TEXT NOT NULL,
    source_session_id BLOB NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
    source_turn       INTEGER NOT NULL,
    target_engine_id  TEXT NOT NULL,
    target_session_id BLOB REFERENCES sessions(id) ON DELETE SET NULL,
    payload           TEXT NOT NULL,
    transition_reason TEXT,
    verified          INTEGER NOT NULL,
    verification      TEXT,
    tenant_id         TEXT NOT NULL DEFAULT 'local',
    created_at        INTEGER NOT NULL
) STRICT;
CREATE INDEX handoffs_by_project ON handoffs(project_id, created_at);
CREATE INDEX handoffs_by_source ON handoffs(source_session_id);
CREATE INDEX handoffs_by_target ON handoffs(target_session_id);

-- `owner` is the process in which a running task lives.
CREATE TABLE tasks (
    id          BLOB PRIMARY KEY NOT NULL,
    session_id  BLOB NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
    task        TEXT NOT NULL,
    name        TEXT NOT NULL,
    status      TEXT NOT NULL,
    turn        INTEGER NOT NULL,
    reason      TEXT NOT NULL,
    attempts    INTEGER NOT NULL,
    result      TEXT,
    note        TEXT,
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL,
    owner       BLOB,
    rewound_by  INTEGER
) STRICT;
CREATE INDEX tasks_by_session ON tasks(session_id, created_at);
CREATE INDEX tasks_by_status ON tasks(status);

CREATE TABLE artifacts (
    key         INTEGER PRIMARY KEY,
    id          BLOB NOT NULL UNIQUE,
    project_id  BLOB NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    session_id  BLOB REFERENCES sessions(id) ON DELETE CASCADE,
    kind        TEXT NOT NULL,
    title       TEXT NOT NULL,
    content     TEXT NOT NULL,
    tokens      INTEGER NOT NULL,
    meta        TEXT NOT NULL,
    created_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX artifacts_by_project ON artifacts(project_id, created_at);
CREATE INDEX artifacts_by_session ON artifacts(session_id);

CREATE VIRTUAL TABLE artifacts_index USING fts5(
    title, content, content = 'artifacts', content_rowid = 'key', tokenize = 'porter unicode61 remove_diacritics 2'
);
INSERT INTO artifacts_index(artifacts_index, rank) VALUES ('secure-delete', 1);

CREATE TRIGGER artifacts_into_index AFTER INSERT ON artifacts
BEGIN INSERT INTO artifacts_index(rowid, title, content) VALUES (NEW.key, NEW.title, NEW.content); END;
CREATE TRIGGER artifacts_out_of_index AFTER DELETE ON artifacts
BEGIN
    INSERT INTO artifacts_index(artifacts_index, rowid, title, content)
    VALUES ('delete', OLD.key, OLD.title, OLD.content);
END;
CREATE TRIGGER artifacts_changed_in_index AFTER UPDATE ON artifacts
BEGIN
    INSERT INTO artifacts_index(artifacts_index, rowid, title, content)
    VALUES ('delete', OLD.key, OLD.title, OLD.content);
    INSERT INTO artifacts_index(rowid, title, content) VALUES (NEW.key, NEW.title, NEW.content);
END;

-- What was spent stays spent when a session goes. `seq` is the commit it belongs to, if it belongs to one. A row with a
-- `call` is the most that a call may cost, written ahead of it by the process `reserved_by`; what it has really cost takes
-- its place. It stays where that process was killed, and counts.
CREATE TABLE budget (
    key           INTEGER PRIMARY KEY,
    session_id    BLOB REFERENCES sessions(id) ON DELETE SET NULL,
    seq           INTEGER,
    day           TEXT NOT NULL,
    role          TEXT NOT NULL,
    model         TEXT NOT NULL,
    input_tokens  INTEGER NOT NULL,
    cached_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cost_usd      REAL NOT NULL,
    call          BLOB,
    reserved_by   BLOB
) STRICT;
CREATE INDEX budget_by_call ON budget(call) WHERE call IS NOT NULL;
CREATE INDEX budget_by_session ON budget(session_id, seq);
CREATE INDEX budget_by_day ON budget(day);

CREATE TABLE trust (
    engine_hash BLOB PRIMARY KEY NOT NULL,
    decision    TEXT NOT NULL,
    decided_at  INTEGER NOT NULL
) STRICT;

-- What vouches for rows that the log of no session covers: digests of drafts, tasks, artifacts, handoffs and decisions
-- about engines, each sealed with the log key where there is one.
CREATE TABLE seals (
    kind        TEXT NOT NULL,
    id          BLOB NOT NULL,
    session_id  BLOB REFERENCES sessions(id) ON DELETE CASCADE,
    hash        BLOB NOT NULL,
    mac         BLOB,
    PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX seals_by_session ON seals(session_id);

-- How many changes were acknowledged. The file beside the database says so too, to notice changes that got lost.
CREATE TABLE changes (count INTEGER NOT NULL) STRICT;
INSERT INTO changes (count) VALUES (0);

-- Things to remember about the database itself.
CREATE TABLE notes (
    name  TEXT PRIMARY KEY NOT NULL,
    value TEXT NOT NULL
) STRICT;
