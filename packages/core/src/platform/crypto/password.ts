import { createSlots } from './slots.ts'

/** `full` is OWASP's floor for argon2id: 19 MiB, two passes, one lane. `low` is for tests that throw the accounts away. */
const COSTS = {
  full: { memoryCost: 19_456, timeCost: 2, parallelism: 1 },
  low: { memoryCost: 64, timeCost: 1, parallelism: 1 },
} as const

/** Hashes that no one has the password of, one at each cost: checked where there is no account to check. */
const DECOYS = {
  full: '$argon2id$v=19$m=19456,t=2,p=1$BpKTzeGo99UdRe+6pxd4QQ$fC6JTjI7djJ9NEJZ29qCtsLyqT79Qx4WlegEjkeHqNw',
  low: '$argon2id$v=19$m=64,t=1,p=1$iEmdYT8qyAewTE7+qGHQIA$TVnc3VaP5UaWocJsAGnM3+JMJpOq8NBGAcjeLkxchT8',
} as const

/** How much work one hash is. */
export type PasswordCost = keyof typeof COSTS

/** What passwords are hashed for; each kind waits in a line of its own. */
export type HashLane = 'login' | 'registration' | 'account'

export interface Passwords {
  /**
   * argon2id in PHC form (`$argon2id$v=19$…`), about 20 ms of one worker thread.
   * @param lane default `account`: resets, changes, invitations and accounts that operators make
   * @throws what `refuse` gives when too many wait
   */
  hashPassword(password: string, lane?: HashLane): Promise<string>
  /**
   * True where `password` belongs to `stored`. With no hash, or with one that cannot be read, the same work is done
   * and the answer is false, so that the time does not tell which accounts exist.
   * @param lane default `login`
   * @throws what `refuse` gives when too many wait
   */
  verifyPassword(stored: string | undefined, password: string, lane?: HashLane): Promise<boolean>
  /** True where `stored` was made with other costs than today's; hash again after a good sign-in. */
  needsRehash(stored: string): Promise<boolean>
}

/** Who does the work; argon2 on worker threads unless something else is given. */
export interface Hasher {
  hash(password: string, cost: (typeof COSTS)[PasswordCost]): Promise<string>
  verify(stored: string, password: string): Promise<boolean>
}

export interface PasswordOptions {
  /** Default `full`. */
  cost?: PasswordCost
  /**
   * How many hashes run at once (default 2). Node has four worker threads for hashing, files and DNS together; a storm of sign-ins waits
   * here instead of taking them all.
   */
  maxConcurrent?: number
  /** How many wait in each line (default 50: about half a second of work); beyond that they are refused at once. */
  maxWaiting?: number
  /** The error of a refusal. */
  refuse?: () => Error
  hasher?: Hasher
}

/** Hashes and checks passwords, compared in Unicode NFKC so that every keyboard types the same one. */
export function createPasswords(options: PasswordOptions = {}): Passwords {
  const { maxConcurrent = 2, maxWaiting = 50, hasher = onThreads } = options
  const refuse = options.refuse ?? (() => new Error('Too many passwords wait to be hashed'))
  const cost = COSTS[options.cost ?? 'full']
  const decoy = DECOYS[options.cost ?? 'full']
  const inTurn = createSlots<HashLane>({ size: maxConcurrent, maxWaiting, refuse })

  return {
    hashPassword: (password, lane = 'account') =>
      inTurn(lane, () => hasher.hash(password.normalize('NFKC'), cost)),
    verifyPassword: (stored, password, lane = 'login') =>
      inTurn(lane, async () => {
        const known = stored !== undefined && (await readable(stored)) !== undefined
        const matches = await hasher.verify(known ? stored : decoy, password.normalize('NFKC'))
        return known && matches
      }),
    async needsRehash(stored) {
      const made = await readable(stored)
      return (
        made === undefined ||
        !stored.startsWith('$argon2id$') ||
        made.memoryCost !== cost.memoryCost ||
        made.timeCost !== cost.timeCost ||
        made.parallelism !== cost.parallelism
      )
    },
  }
}

/** Loaded with the first password: opening its binary is nothing that a start need wait for. */
const argon2 = () => import('@node-rs/argon2')

const onThreads: Hasher = {
  hash: async (password, cost) => (await argon2()).hash(password, cost),
  verify: async (stored, password) => (await argon2()).verify(stored, password),
}

/** What a hash was made with; undefined where it cannot be read. */
async function readable(stored: string) {
  const { parseOptions } = await argon2()
  try {
    return parseOptions(stored)
  } catch {
    return undefined
  }
}

/** One text with a line for each password: a tenth of the memory of a set of them. */
let list: Promise<string> | undefined

/** Nothing shorter is taken as a password anywhere, so nothing shorter has to be on the list. */
const shortest = 8

/**
 * True for a password that guessers try first, whatever its case and the punctuation at its end. The list of some 18,000 is loaded
 * when it is asked for the first time: 25 ms, and 4 MB that stay.
 */
export async function isCommonPassword(password: string): Promise<boolean> {
  list ??= load()
  const known = await list
  const lower = password.normalize('NFKC').toLowerCase()
  return [lower, lower.replace(/[^\p{L}\p{N}]+$/u, '')].some((form) => known.includes(`\n${form}\n`))
}

async function load(): Promise<string> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  const long = dictionary['passwords-common'].filter(({ length }) => length >= shortest)
  return `\n${long.join('\n').toLowerCase()}\n`
}
