/** An operation of a mutate that is refused: by family and name, as Google names errors. */
export class Refused extends Error {
  readonly family: string
  readonly code: string
  /** Where in the operation, and what else is said of it. */
  readonly more: { path?: object[]; details?: object }
  constructor(family: string, code: string, message: string, more: Refused['more'] = {}) {
    super(message)
    this.family = family
    this.code = code
    this.more = more
  }
}
