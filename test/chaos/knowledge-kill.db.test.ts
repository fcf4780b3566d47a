import type { Client } from '@copydesk/client'
import { describe, expect, it, onTestFinished } from 'vitest'
import { entities } from '../../packages/core/src/composition/entities.ts'
import { migrations } from '../../packages/core/src/composition/migrations/migrations.ts'
import { asNumber } from '../kit/columns.ts'
import { openTestDatabase } from '../kit/database.ts'
import { startEmbeddings } from '../kit/embedding-server.ts'
import { addKnowledge } from '../kit/seeded-settings.ts'
import { endMember, type Member, newInstallation, startMember } from './fleet.ts'
import { logIn, type SeededTenant, seedTenants } from './seed.ts'

/** Chunks that are embedded and stored at a time, and how many requests that takes. */
const batch = 64
const requestsOfBatch = 4
const sections = 3 * batch

/** A text that takes a thread of its own to be read; each section is a chunk, and no two of them are alike. */
const textOf = (name: string) =>
  Array.from(
    { length: sections },
    (_, n) => `# ${name}, part ${n}\n\n${`Oats, rye and ${name} number ${n}. `.repeat(30)}`,
  ).join('\n\n')

/** Where a server is killed, and how it is seen that it has come there. */
const stages = ['uploaded', 'parsing', 'chunked', 'embedded half-way', 'switched'] as const
type Stage = (typeof stages)[number]

interface FileState {
  status: string
  version: number
  stored: number
  counted: number
}

describe('dashboard.knowledge_base.upload', () => {
  it('ends in one whole index of each file, wherever its server is killed, and embeds no text twice', {
    timeout: 240_000,
  }, async () => {
    await using database = await openTestDatabase({ entities, migrations })
    const { db } = database
    /** Requests of this number, and those after it, are not answered. */
    let answersUntil = Number.POSITIVE_INFINITY
    let asked = 0
    const embedded: string[] = []
    await using embeddings = await startEmbeddings(({ body }) => {
      asked += 1
      if (asked > answersUntil) return { hang: true }
      embedded.push(...body.input)
      return {}
    })
    const { installation, port } = await newInstallation(database.url, {
      embeddings: { provider: 'custom', model: 'm', dimensions: 64, baseUrl: embeddings.url },
      allowHosts: ['127.0.0.1', new URL(embeddings.url).host],
    })
    const [tenant] = (await seedTenants(installation, 1)) as [SeededTenant]

    const stateOf = async (id: string): Promise<FileState> => {
      const row = await db.sql.get<{ status: string; version: unknown; stored: unknown; counted: unknown }>(
        `select f.status, f.version, f.chunks_count as counted,
          (select count(*) from knowledge_chunks c where c.file_id = f.id) as stored
         from knowledge_files f where f.id = ?`,
        [id],
      )
      return {
        status: row?.status ?? 'none',
        version: asNumber(row?.version),
        stored: asNumber(row?.stored),
        counted: asNumber(row?.counted),
      }
    }
    const until = async (id: string, reached: (state: FileState) => boolean) => {
      for (;;) {
        const state = await stateOf(id)
        if (reached(state)) return state
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    }

    let server: Member | undefined
    const start = async (role: Member['role']) => {
      server = await startMember(role, port, installation)
      return server
    }
    const kill = async () => {
      if (server) await endMember(server, 'SIGKILL')
    }
    onTestFinished(kill)

    /** What holds a file at its stage, and tells that it is there. */
    const reach: Record<Stage, { answers: number; isThere: (state: FileState) => boolean }> = {
      uploaded: { answers: Number.POSITIVE_INFINITY, isThere: ({ status }) => status === 'pending' },
      parsing: { answers: 0, isThere: ({ status }) => status === 'parsing' },
      chunked: { answers: 0, isThere: ({ status }) => status === 'embedding' && asked === requestsOfBatch },
      'embedded half-way': {
        answers: 2 * requestsOfBatch,
        isThere: ({ stored }) => stored === 2 * batch && asked === 3 * requestsOfBatch,
      },
      switched: { answers: Number.POSITIVE_INFINITY, isThere: ({ status }) => status === 'indexed' },
    }

    await start('web')
    const admin = await logIn(installation.baseUrl, tenant.admin, 'dashboard')
    const datasetId = await datasetOfAdmin(admin)
    await kill()
    const whole: FileState = { status: 'indexed', version: 1, stored: sections, counted: sections }
    const ids: string[] = []
    for (const stage of stages) {
      const { answers, isThere } = reach[stage]
      asked = 0
      answersUntil = answers
      // Who only takes requests leaves the file as it was uploaded.
      await start(stage === 'uploaded' ? 'web' : 'all')
      const { uploadedFiles } = await addKnowledge(admin, datasetId, { [`${stage}.md`]: textOf(stage) })
      const id = uploadedFiles[0]?.id ?? ''
      ids.push(id)
      const at = await until(id, isThere)
      await kill()
      expect({ stage, isWhole: at.status === 'indexed' }).toEqual({ stage, isWhole: stage === 'switched' })
      answersUntil = Number.POSITIVE_INFINITY
      // Nobody is left who has it: the end of the lease is not waited for.
      await db.write((tx) =>
        tx.run("update job set lease_until = ? where status = 'running'", [new Date(Date.now() - 1)]),
      )
      await start('all')
      // What was begun twice is tidied up in the end.
      const end = await until(
        id,
        ({ status, stored, counted }) => status === 'error' || (status === 'indexed' && stored === counted),
      )
      expect({ stage, ...end, version: 1 }).toEqual({ stage, ...whole })
      await kill()
    }

    expect(embedded).toHaveLength(new Set(embedded).size)
    expect(embedded).toHaveLength(stages.length * sections)
    const places = await db.sql.all<{
      fileId: string
      ordinal: unknown
      version: unknown
      searched: unknown
    }>(
      `select c.file_id as "fileId", c.ordinal, c.version, f.version as searched
       from knowledge_chunks c join knowledge_files f on f.id = c.file_id order by c.file_id, c.ordinal`,
    )
    expect(places.every(({ version, searched }) => asNumber(version) === asNumber(searched))).toBe(true)
    expect(places.map(({ fileId, ordinal }) => [fileId, asNumber(ordinal)])).toEqual(
      ids.toSorted().flatMap((id) => Array.from({ length: sections }, (_, n) => [id, n])),
    )
  })
})

async function datasetOfAdmin(admin: Client): Promise<string> {
  const { data } = await admin.call('dashboard', 'GET /knowledge-base/datasets')
  return data.find(({ name }) => name === 'Client documents')?.id ?? ''
}
