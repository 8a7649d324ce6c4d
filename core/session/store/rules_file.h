#ifndef CORE_SESSION_STORE_RULES_FILE_H
#define CORE_SESSION_STORE_RULES_FILE_H

#include "core/session/state/rules.h"

/*
 * Reads the JSON file with rules that `--policy` names (FORMATS.md), and the files with
 * the texts of its edits, whose names are relative to the folder of the rules.
 */
enum status rules_file_read(const char *path, struct rules *rules, struct error *err) MUST_CHECK;

#endif
