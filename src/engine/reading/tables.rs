//! Sets and tables that are asked for every word of a message, with a hash that is quick for short words. Like the standard
//! one it has a seed of the process's own.

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;

pub(super) type Set<K> = HashSet<K, RandomState>;
pub(super) type Table<K, V> = HashMap<K, V, RandomState>;
