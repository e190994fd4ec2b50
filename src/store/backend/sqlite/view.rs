//! Taking turns out of view and putting them back, and what took the place of what.

use rusqlite::{Connection, params};

use crate::store::{ExtractionId, SessionId};

pub(super) fn take_back(conn: &Connection, id: SessionId, turn: u32, by: u64) -> rusqlite::Result<()> {
    for table in ["commits", "tasks"] {
        conn.execute(
            &format!("UPDATE {table} SET rewound_by = ?3 WHERE session_id = ?1 AND rewound_by IS NULL AND turn > ?2"),
            params![id, turn, by],
        )?;
    }
    show(conn, id, by, false)
}

pub(super) fn put_back(conn: &Connection, id: SessionId, by: u64) -> rusqlite::Result<()> {
    show(conn, id, by, true)?;
    for table in ["commits", "tasks"] {
        conn.execute(
            &format!("UPDATE {table} SET rewound_by = NULL WHERE session_id = ?1 AND rewound_by = ?2"),
            params![id, by],
        )?;
    }
    Ok(())
}

fn show(conn: &Connection, id: SessionId, rewound_by: u64, in_view: bool) -> rusqlite::Result<()> {
    for table in ["messages", "extractions"] {
        conn.execute(
            &format!(
                "UPDATE {table} SET in_view = ?3 WHERE session_id = ?1
                 AND seq IN (SELECT seq FROM commits WHERE session_id = ?1 AND rewound_by = ?2)"
            ),
            params![id, rewound_by, in_view],
        )?;
    }
    Ok(())
}

pub(super) fn supersede(conn: &Connection, id: SessionId, field: &str, by: ExtractionId) -> rusqlite::Result<()> {
    conn.prepare_cached(
        "UPDATE extractions SET superseded_by = ?3
         WHERE session_id = ?1 AND field_path = ?2 AND in_view AND superseded_by IS NULL",
    )?
    .execute(params![id, field, by])
    .map(drop)
}
