import type { Ctx } from '../../../kernel/context.ts'
import { invalid } from '../../../kernel/errors.ts'
import { type HashLane, isCommonPassword } from '../../../platform/crypto/password.ts'

export interface NewPassword {
  password: string
  /** Where it stands in the request; default `password`. */
  field?: string
  /** Of its owner. */
  email: string
  /** What its owner's company is called. */
  companies?: readonly (string | undefined)[]
  lane?: HashLane
}

/**
 * The hash of a password that someone chooses: every way to one leads through here. Its length has been checked.
 * @throws DomainError `VALIDATION_ERROR` on its field when it is among the first that a guesser tries; `THROTTLED` when too many are being
 *   hashed
 */
export async function hashNewPassword(ctx: Ctx, chosen: NewPassword): Promise<string> {
  const { password, field = 'password', email, companies = [], lane } = chosen
  if (await isCommonPassword(password))
    throw invalid(field, 'This is one of the passwords that guessers try first; choose another one')
  if (isOwnName(password, email, companies))
    throw invalid(
      field,
      'A password must not be the e-mail address or the name of the company, with or without a number; choose another one',
    )
  return ctx.services.passwords.hashPassword(password, lane)
}

/** True when a password is a name that everybody knows of its owner, with a number behind it or without. */
function isOwnName(password: string, email: string, companies: readonly (string | undefined)[]): boolean {
  const [local = '', host = ''] = email.split('@')
  const names = [email, local, ...host.split('.'), ...companies.map((name) => name ?? '')].map(bare)
  const given = bare(password)
  return names.some((name) => name.length >= shortestName && name === given)
}

/** A name of three letters with a number behind it says as little of its owner as any other word. */
const shortestName = 4

/** Letters and digits alone, without what counts up at the end. */
function bare(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')
    .replace(/\p{N}+$/u, '')
}
