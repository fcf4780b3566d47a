import { DomainError } from '../../../kernel/errors.ts'
import { unknownPlaceholders } from '../mailing/word-mail.ts'

/** The longest newsletter, characters. */
const longest = 100_000

/** @throws DomainError `UNPROCESSABLE` for a newsletter that is too long, or has a placeholder that there is not */
export function requireSendable(text: string): void {
  if (text.length > longest)
    throw new DomainError(
      'UNPROCESSABLE',
      `The text has ${text.length} characters, and a mailing at most ${longest}`,
    )
  const [unknown] = unknownPlaceholders(text)
  if (unknown !== undefined)
    throw new DomainError(
      'UNPROCESSABLE',
      `The text has the placeholder {{${unknown.slice(0, 50)}}}, which there is not`,
    )
}
