import { spawn } from 'node:child_process'
import { statSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { ApiError } from '@copydesk/client'
import { describe, expect, it, onTestFinished } from 'vitest'
import { entities } from '../../packages/core/src/composition/entities.ts'
import { migrations } from '../../packages/core/src/composition/migrations/migrations.ts'
import { bundled } from '../kit/bundled.ts'
import { asNumber } from '../kit/columns.ts'
import { openTestDatabase } from '../kit/database.ts'
import { addKnowledge } from '../kit/seeded-settings.ts'
import type { Serving } from '../kit/serve.ts'
import { endMember, type Installation, type Member, newInstallation, startMember } from './fleet.ts'
import { keysOfChaos, logIn, type SeededTenant, seedTenants } from './seed.ts'

const sections = 1_500
const large = Array.from(
  { length: sections },
  (_, n) => `# Part ${n}\n\n${`Oats, rye and number ${n}. `.repeat(60)}`,
).join('\n\n')

/** Starts a server none of whose files may be longer than so many bytes: to it, the disk is full then. */
async function startOnSmallDisk(port: number, installation: Installation, bytes: number): Promise<Member> {
  const { database, dataDir, baseUrl } = installation
  const worker = { concurrency: 8, leaseMs: 1_500 }
  const serving: Serving = {
    options: { ...keysOfChaos, database, dataDir, baseUrl, worker },
    port,
    log: 'silent',
  }
  const limited = `trap '' XFSZ; ulimit -f ${Math.floor(bytes / 512)}; exec "$0" "$@"`
  const child = spawn('sh', ['-c', limited, process.execPath, await bundled('serve')], {
    env: { ...process.env, SERVING: JSON.stringify(serving) },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  for await (const line of createInterface({ input: child.stdout })) {
    if (!/^\d+$/.test(line)) continue
    child.stdout.resume()
    return { role: 'all', port, process: child }
  }
  throw new Error('the server ended before it answered')
}

/** Whether the server could not do it; that it was asked too often is no such answer. */
async function isRefused(asked: Promise<unknown>): Promise<boolean> {
  try {
    await asked
    return false
  } catch (error) {
    return error instanceof ApiError && error.status >= 500
  }
}

// Where a process may be given a limit for its files.
describe.skipIf(process.platform !== 'linux')('dashboard.knowledge_base.upload on a full disk', () => {
  it('loses neither what is searched nor the file, which is ingested when there is room', {
    timeout: 180_000,
  }, async () => {
    await using database = await openTestDatabase({ entities, migrations })
    const { db } = database
    const { installation, port } = await newInstallation(database.url)
    const [tenant] = (await seedTenants(installation, 1)) as [SeededTenant]
    let server: Member | undefined = await startMember('all', port, installation)
    onTestFinished(async () => {
      if (server) await endMember(server, 'SIGKILL')
    })
    const admin = await logIn(installation.baseUrl, tenant.admin, 'dashboard')
    const { data } = await admin.call('dashboard', 'GET /knowledge-base/datasets')
    const datasetId = data.find(({ name }) => name === 'Client documents')?.id ?? ''
    const upload = async (name: string, text: string) =>
      (await addKnowledge(admin, datasetId, { [name]: text })).uploadedFiles[0]?.id ?? ''
    const stateOf = async (id: string) => {
      const row = await db.sql.get<{ status: string; counted: unknown; stored: unknown }>(
        `select f.status, f.chunks_count as counted,
          (select count(*) from knowledge_chunks c where c.file_id = f.id) as stored
         from knowledge_files f where f.id = ?`,
        [id],
      )
      return { status: row?.status ?? 'none', counted: asNumber(row?.counted), stored: asNumber(row?.stored) }
    }
    const until = async (reached: () => Promise<boolean>) => {
      while (!(await reached())) await new Promise((resolve) => setTimeout(resolve, 50))
    }
    const isIndexed = async (id: string) => (await stateOf(id)).status === 'indexed'
    const found = async (query: string) => {
      const body = { query, datasetIds: [datasetId] }
      const { results } = await admin.call('dashboard', 'POST /knowledge-base/search', { body })
      return results.map(({ fileName }) => fileName)
    }

    const small = await upload('small.md', 'Hazelnuts are roasted at night.')
    await until(() => isIndexed(small))
    await endMember(server, 'SIGTERM')

    // The file itself has room, and what is written of its chunks has not.
    const path = database.url.replace(/^sqlite:(?:\/\/)?/, '')
    const room = Math.max(statSync(path).size, Buffer.byteLength(large)) + 256 * 1_024
    server = await startOnSmallDisk(port, installation, room)
    const id = await upload('large.md', large)
    await until(async () => (await stateOf(id)).stored > 0)
    // It has stopped: nothing more is stored while others are refused too.
    let stuck = await stateOf(id)
    await until(async () => {
      const before = stuck
      stuck = await stateOf(id)
      return before.stored === stuck.stored && (await isRefused(upload('later.md', 'Almonds.')))
    })
    expect(stuck.status).not.toBe('indexed')
    expect(stuck.stored).toBeLessThan(sections)
    expect(await found('hazelnuts')).toEqual(['small.md'])
    await endMember(server, 'SIGKILL')

    await db.write((tx) =>
      tx.run("update job set lease_until = ? where status = 'running'", [new Date(Date.now() - 1)]),
    )
    server = await startMember('all', port, installation)
    await until(async () => {
      const { status, counted, stored } = await stateOf(id)
      return status === 'error' || (status === 'indexed' && counted === stored)
    })
    expect(await stateOf(id)).toEqual({ status: 'indexed', counted: sections, stored: sections })
    expect(await found('hazelnuts')).toEqual(['small.md'])
    expect((await found('rye'))[0]).toBe('large.md')
  })
})
