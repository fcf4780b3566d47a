import { endMember, type Installation, type Member, startMember } from './fleet.ts'
import type { Proxy } from './proxy.ts'
import type { Random } from './random.ts'

/** Servers of one installation, and the ways between them that break. */
export interface Fleet {
  members: Member[]
  installation: Installation
  /** Between the servers and their database. */
  databaseProxy: Proxy
  /** Between everybody else and the web servers. */
  webProxy: Proxy
  /** The database itself, behind the proxy. */
  databaseServer: { restart(): Promise<void> }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

type Fault = (fleet: Fleet, random: Random) => Promise<void>

/** What may happen to an installation, and how likely each is. */
const faults: ReadonlyArray<[weight: number, name: string, happen: Fault]> = [
  [4, 'a server is killed', (fleet, random) => replaceOne(fleet, random, 'SIGKILL')],
  [1, 'a server is restarted', (fleet, random) => replaceOne(fleet, random, 'SIGTERM')],
  [2, 'the ways to the database break', async ({ databaseProxy }) => databaseProxy.cut()],
  [2, 'the ways to the web servers break', async ({ webProxy }) => webProxy.cut()],
  [
    1,
    'the database is away for a moment',
    async ({ databaseProxy }, random) => {
      databaseProxy.shut()
      await pause(200 + random() * 800)
      databaseProxy.open()
    },
  ],
  [1, 'the database crashes and starts again', ({ databaseServer }) => databaseServer.restart()],
]

/** Has one of them happen. @returns its name */
export async function injectFault(fleet: Fleet, random: Random): Promise<string> {
  let at = random() * faults.reduce((sum, [weight]) => sum + weight, 0)
  const [, name, happen] = faults.find(([weight]) => (at -= weight) < 0) ?? faults[0]!
  await happen(fleet, random)
  return name
}

async function replaceOne(
  { members, installation }: Fleet,
  random: Random,
  signal: 'SIGKILL' | 'SIGTERM',
): Promise<void> {
  const index = Math.floor(random() * members.length)
  const { role, port } = members[index] as Member
  await endMember(members[index] as Member, signal)
  members[index] = await startMember(role, port, installation)
}
