import { DatabaseError } from './database.ts'

/** Turns the driver's own faults into one sentence with the remedy; anything else passes unchanged. */
export function explain(error: unknown, path: string): unknown {
  const code = (error as { code?: string }).code ?? ''
  const say = (sentence: string) => new DatabaseError(sentence, { cause: error })
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    return say(`The database ${path} is locked by another program. Close that program and try again.`)
  }
  if (code.startsWith('SQLITE_FULL')) {
    return say(`The disk that holds ${path} is full; nothing was written. Free some space and try again.`)
  }
  if (code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT')) {
    return say(
      `The file ${path} is damaged or no SQLite database. Restore it from a backup, or name another file.`,
    )
  }
  if (code.startsWith('SQLITE_CANTOPEN')) {
    return say(`The database ${path} cannot be opened. Check that the path is a file you may read and write.`)
  }
  if (code.startsWith('SQLITE_READONLY') || code === 'EACCES' || code === 'EROFS') {
    return say(
      `The database ${path} is read-only. Give this user the right to write the file and its folder.`,
    )
  }
  if (code.startsWith('SQLITE_IOERR')) {
    return say(
      `The disk failed while reading or writing ${path} (${code}). Check the disk and its free space.`,
    )
  }
  if (code === 'EIO' || code === 'ENOSPC' || code === 'EDQUOT') {
    return say(
      `The disk failed while changes to ${path} were made durable (${code}): they may be there after a restart, or not. Check the disk and its free space, then start Copydesk again.`,
    )
  }
  return error
}
