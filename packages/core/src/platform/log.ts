/** Fields that go with a log line; secrets in them are cut out before they are written. */
export type LogFields = Record<string, unknown>

/** The port that the whole product logs through; an embedding program may pass its own. */
export interface Logger {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
  /** A logger that adds `fields` to each of its lines. */
  child(fields: LogFields): Logger
}
