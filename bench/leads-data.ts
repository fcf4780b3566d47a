import { ulid } from 'ulid'
import { type Installation, lookInto } from './installation.ts'

const syllables = [
  'an',
  'be',
  'ca',
  'do',
  'el',
  'fi',
  'ga',
  'ho',
  'in',
  'jo',
  'ka',
  'lu',
  'mar',
  'no',
  'ber',
  'ton',
]
const domains = ['gmail.example', 'yahoo.example', 'hotmail.example', 'outlook.example']
const statuses = ['contacted', 'qualified', 'unqualified', 'converted']

/** A name of three syllables; the numbers are spread over all of them, so that neighbours have little in common. */
const nameOf = (n: number) =>
  [n, n >> 4, n >> 8].map((part) => syllables[(part * 7) % syllables.length]).join('')

/**
 * A file of leads: 4,096 first and last names, a third of the addresses at four large providers, one lead of ten no longer new. Those of
 * the first file alone have addresses at `ancient.example`.
 */
export function fileOf(file: number, rows: number): string {
  const lines = Array.from({ length: rows }, (_, i) => {
    const n = file * rows + i
    const [first, last] = [nameOf(n * 2_654_435), nameOf(n * 40_503 + 7)]
    const domain =
      n % 3 === 0
        ? (domains[(n / 3) % 4] ?? '')
        : file === 0
          ? 'ancient.example'
          : `${last}${n % 999}.example`
    const status = n % 10 === 0 ? (statuses[(n / 10) % 4] ?? '') : 'new'
    return `${first} ${last},${first}.${n}@${domain},${status}`
  })
  return `name,email,status\n${lines.join('\n')}`
}

/** The lists that are measured. None is a search that no index helps. */
export const lists: Readonly<Record<string, string>> = {
  newest: '/leads',
  'oldest first': '/leads?order=asc',
  'a hundred': '/leads?limit=100',
  status: '/leads?filter.status=new',
  'rare status': '/leads?filter.status=converted',
  source: '/leads?filter.source=import',
  'no such source': '/leads?filter.source=form',
  'status and source': '/leads?filter.status=qualified&filter.source=import',
  'one letter': '/leads?search=a',
  'common word': '/leads?search=gmail',
  'word of the oldest': '/leads?search=ancient',
  'full name': `/leads?search=${nameOf(5 * 2_654_435)}%20${nameOf(5 * 40_503 + 7)}`,
  address: `/leads?search=${nameOf(5 * 2_654_435)}.5@`,
  'none found': '/leads?search=nobody',
  'two letters, apart': '/leads?search=q%20z',
  'two common words, never together': '/leads?search=gmail%20yahoo',
  'common and rare word': '/leads?search=gmail%20999',
  'word with status': '/leads?search=outlook&filter.status=converted',
  'word with all filters': '/leads?search=hotmail&filter.status=qualified&filter.source=import',
  'word with no such source': '/leads?search=gmail&filter.source=form',
}

/** What a tenant with few leads asks beside one with very many. */
export const ofFew: Readonly<Record<string, string>> = {
  newest: '/leads',
  status: '/leads?filter.status=new',
  'common word': '/leads?search=gmail',
  'two words': '/leads?search=gmail%20an',
}

/** Fills a tenant with so many leads. */
export async function tenantOfFew(
  installation: Installation,
  tenantId: string,
  leads: number,
): Promise<void> {
  const db = await lookInto(installation)
  await db.write(async (tx) => {
    for (let n = 0; n < leads; n += 1)
      await tx.run(
        `insert into leads (id, tenant_id, first_name, last_name, email, status, source, tags, identity, words, revision, created_on, updated_on)
         values (?, ?, 'Ann', 'Few', ?, 'new', 'manual', '[]', ?, ?, 0, ?, ?)`,
        [
          ulid(),
          tenantId,
          `few${n}@gmail.example`,
          `e:few${n}@gmail.example`,
          ` ann few few${n} gmail example`,
          new Date(),
          new Date(),
        ],
      )
  })
  await db.close()
}
