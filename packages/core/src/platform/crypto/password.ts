import { hash, parseOptions, verify } from '@node-rs/argon2'

/** `full` is OWASP's floor for argon2id: 19 MiB, two passes, one lane. `low` is for tests that throw the accounts away. */
const COSTS = {
  full: { memoryCost: 19_456, timeCost: 2, parallelism: 1 },
  low: { memoryCost: 64, timeCost: 1, parallelism: 1 },
} as const

/** Hashes that nobody has the password of, one at each cost: checked where there is no account to check. */
const DECOYS = {
  full: '$argon2id$v=19$m=19456,t=2,p=1$BpKTzeGo99UdRe+6pxd4QQ$fC6JTjI7djJ9NEJZ29qCtsLyqT79Qx4WlegEjkeHqNw',
  low: '$argon2id$v=19$m=64,t=1,p=1$iEmdYT8qyAewTE7+qGHQIA$TVnc3VaP5UaWocJsAGnM3+JMJpOq8NBGAcjeLkxchT8',
} as const

/** How much work one hash is. */
export type PasswordCost = keyof typeof COSTS

export interface Passwords {
  /** argon2id in PHC form (`$argon2id$v=19$…`), about 20 ms of one worker thread. */
  hashPassword(password: string): Promise<string>
  /**
   * True where `password` belongs to `stored`. With no hash, or with one that cannot be read, the same work is done
   * and the answer is false, so that the time does not tell which accounts exist.
   */
  verifyPassword(stored: string | undefined, password: string): Promise<boolean>
  /** True where `stored` was made with other costs than today's; hash anew after a good sign-in. */
  needsRehash(stored: string): boolean
}

/**
 * Hashes and checks passwords, compared in Unicode NFKC so that every keyboard types the same one.
 * @param options `cost`: default `full`; `maxConcurrent`: how many hashes run at once (default 2). Node has four worker threads for hashing,
 *   files and DNS together; a storm of sign-ins waits here instead of taking them all.
 */
export function createPasswords(options: { cost?: PasswordCost; maxConcurrent?: number } = {}): Passwords {
  const limited = createSlots(options.maxConcurrent ?? 2)
  const cost = COSTS[options.cost ?? 'full']
  const decoy = DECOYS[options.cost ?? 'full']

  return {
    hashPassword: (password) => limited(() => hash(password.normalize('NFKC'), cost)),
    verifyPassword: (stored, password) =>
      limited(async () => {
        const known = stored !== undefined && readable(stored)
        const matches = await verify(known ? stored : decoy, password.normalize('NFKC'))
        return known && matches
      }),
    needsRehash(stored) {
      if (!readable(stored)) return true
      const made = parseOptions(stored)
      return (
        !stored.startsWith('$argon2id$') ||
        made.memoryCost !== cost.memoryCost ||
        made.timeCost !== cost.timeCost ||
        made.parallelism !== cost.parallelism
      )
    },
  }
}

function readable(stored: string): boolean {
  try {
    parseOptions(stored)
    return true
  } catch {
    return false
  }
}

/** Runs at most `size` pieces of work at once, the rest in the order they came. */
export function createSlots(size: number): <T>(work: () => Promise<T>) => Promise<T> {
  if (!Number.isInteger(size) || size < 1) throw new RangeError(`Slots: expected 1 or more, got ${size}.`)
  const waiting: Array<() => void> = []
  let free = size

  return async (work) => {
    if (free > 0) free -= 1
    else await new Promise<void>((resume) => waiting.push(resume))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free += 1
    }
  }
}
