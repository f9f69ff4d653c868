// The system's SQLite, with or without its header.
//
// The library is on every machine with a Swift toolchain, the header only where somebody installed
// it. What is declared here is SQLite's stable interface, as its documentation gives it.
#ifndef CSQLITE_H
#define CSQLITE_H

#if __has_include(<sqlite3.h>) && !defined(CSQLITE_WITHOUT_HEADER)
#include <sqlite3.h>
#else

typedef struct sqlite3 sqlite3;
typedef struct sqlite3_stmt sqlite3_stmt;
typedef struct sqlite3_backup sqlite3_backup;
typedef long long sqlite3_int64;
typedef void (*sqlite3_destructor_type)(void *);

#define SQLITE_OK 0
#define SQLITE_BUSY 5
#define SQLITE_LOCKED 6
#define SQLITE_NOMEM 7
#define SQLITE_READONLY 8
#define SQLITE_INTERRUPT 9
#define SQLITE_IOERR 10
#define SQLITE_FULL 13
#define SQLITE_NOTADB 26
#define SQLITE_CANTOPEN 14
#define SQLITE_ROW 100
#define SQLITE_DONE 101
#define SQLITE_OPEN_READWRITE 0x00000002
#define SQLITE_OPEN_CREATE 0x00000004
#define SQLITE_OPEN_NOMUTEX 0x00008000
#define SQLITE_NULL 5
#define SQLITE_DBCONFIG_DEFENSIVE 1010

int sqlite3_open_v2(const char *filename, sqlite3 **db, int flags, const char *vfs);
int sqlite3_close_v2(sqlite3 *db);
int sqlite3_exec(sqlite3 *db, const char *sql, int (*row)(void *, int, char **, char **),
                 void *context, char **message);
int sqlite3_prepare_v2(sqlite3 *db, const char *sql, int byteCount, sqlite3_stmt **statement,
                       const char **tail);
int sqlite3_step(sqlite3_stmt *statement);
int sqlite3_reset(sqlite3_stmt *statement);
int sqlite3_clear_bindings(sqlite3_stmt *statement);
int sqlite3_finalize(sqlite3_stmt *statement);
int sqlite3_bind_int64(sqlite3_stmt *statement, int place, sqlite3_int64 value);
int sqlite3_bind_null(sqlite3_stmt *statement, int place);
int sqlite3_bind_text(sqlite3_stmt *statement, int place, const char *text, int byteCount,
                      sqlite3_destructor_type destructor);
int sqlite3_bind_blob(sqlite3_stmt *statement, int place, const void *bytes, int byteCount,
                      sqlite3_destructor_type destructor);
sqlite3_int64 sqlite3_column_int64(sqlite3_stmt *statement, int column);
const unsigned char *sqlite3_column_text(sqlite3_stmt *statement, int column);
const void *sqlite3_column_blob(sqlite3_stmt *statement, int column);
int sqlite3_column_bytes(sqlite3_stmt *statement, int column);
int sqlite3_column_type(sqlite3_stmt *statement, int column);
int sqlite3_changes(sqlite3 *db);
sqlite3_int64 sqlite3_last_insert_rowid(sqlite3 *db);
const char *sqlite3_errmsg(sqlite3 *db);
int sqlite3_extended_errcode(sqlite3 *db);
int sqlite3_get_autocommit(sqlite3 *db);
int sqlite3_busy_timeout(sqlite3 *db, int milliseconds);
int sqlite3_db_config(sqlite3 *db, int operation, ...);
sqlite3_backup *sqlite3_backup_init(sqlite3 *to, const char *toName, sqlite3 *from,
                                    const char *fromName);
int sqlite3_backup_step(sqlite3_backup *backup, int pageCount);
int sqlite3_backup_remaining(sqlite3_backup *backup);
int sqlite3_backup_pagecount(sqlite3_backup *backup);
int sqlite3_backup_finish(sqlite3_backup *backup);

#endif

/// Binds text that SQLite copies.
static inline int csqlite_bind_text(sqlite3_stmt *statement, int place, const char *text,
                                    int byteCount) {
    return sqlite3_bind_text(statement, place, text, byteCount, (sqlite3_destructor_type)-1);
}

/// Binds bytes that SQLite copies; none of them is a run of length 0, not a null.
static inline int csqlite_bind_blob(sqlite3_stmt *statement, int place, const void *bytes,
                                    int byteCount) {
    const void *start = byteCount == 0 ? "" : bytes;
    return sqlite3_bind_blob(statement, place, start, byteCount, (sqlite3_destructor_type)-1);
}

/// Refuses statements that could damage the file on purpose.
static inline int csqlite_defend(sqlite3 *db) {
    return sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
}

#endif
