import type { FailureFamily } from '../../../agents/models/entities.ts'
import type { CommandOptions } from './options.ts'

/** Exit codes that mean the same everywhere: those of `sysexits.h`, and a shell's own. */
const usualCodes: Readonly<Record<number, FailureFamily>> = {
  64: 'invalid',
  65: 'invalid',
  66: 'invalid',
  69: 'transient',
  75: 'transient',
  77: 'auth',
  78: 'invalid',
  126: 'invalid',
  127: 'invalid',
}

/** What agents of all makes say when it is the account, and not the work, that is at fault. */
const usualWords: ReadonlyArray<readonly [RegExp, FailureFamily]> = [
  [/rate.?limit|too many requests|\b429\b|\b529\b|overloaded|quota|usage limit|credit balance/i, 'quota'],
  [
    /unauthori[sz]ed|\b401\b|\b403\b|forbidden|authenticat|not logged in|log ?in\b|\/login|api.?key|credentials|auth method/i,
    'auth',
  ],
  [/timed? ?out|ECONNRESET|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|network|\b50[0234]\b/i, 'transient'],
]

/**
 * The family of a failure: what the command names itself, what its operator says of the exit code and the words, and what
 * these usually mean. Else `internal`: no one knows, and nothing is gained by trying again.
 */
export function familyOf(
  command: CommandOptions,
  { code, words, family }: { code: number | null; words: string; family: FailureFamily | undefined },
): FailureFamily {
  if (family) return family
  const own = command.exitCodes?.[String(code)]
  if (own) return own
  for (const { match, family: named } of command.failures ?? [])
    if (new RegExp(match, 'i').test(words)) return named
  const usual = code === null ? undefined : usualCodes[code]
  return usual ?? usualWords.find(([shape]) => shape.test(words))?.[1] ?? 'internal'
}
