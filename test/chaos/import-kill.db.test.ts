import { describe, expect, it, onTestFinished } from 'vitest'
import { entities } from '../../packages/core/src/composition/entities.ts'
import { migrations } from '../../packages/core/src/composition/migrations/migrations.ts'
import { asNumber } from '../kit/columns.ts'
import { openTestDatabase } from '../kit/database.ts'
import { endMember, newInstallation, startMember } from './fleet.ts'
import { logIn, type SeededTenant, seedTenants } from './seed.ts'

const count = 30_000
/** `COPYDESK_KILLS=5` for the long form: each waits for the end of a lease. */
const kills = Number(process.env['COPYDESK_KILLS'] ?? 1)

describe('dashboard.leads.start_import', () => {
  it(`makes ${count} leads once each, though its server is killed ${kills} times`, {
    timeout: 300_000,
  }, async () => {
    await using database = await openTestDatabase({ entities, migrations })
    const { db } = database
    const { installation, port } = await newInstallation(database.url)
    const [tenant] = (await seedTenants(installation, 1)) as [SeededTenant]
    let server = await startMember('all', port, installation)
    onTestFinished(() => endMember(server, 'SIGKILL'))
    const admin = await logIn(installation.baseUrl, tenant.admin, 'dashboard')
    // In the second half every tenth line is none, every tenth is there already, and some go on over two lines.
    const lines = Array.from({ length: count }, (_, n) => {
      if (n < count / 2) return `L${n},l${n}@x.example`
      if (n % 10 === 3) return `L${n},no address`
      if (n % 10 === 7) return `L${n},l${n - 1}@x.example`
      return n % 10 === 5 ? `"L${n}\n",l${n}@x.example` : `L${n},l${n}@x.example`
    })
    const body = new FormData()
    body.append('file', new Blob([['name,email', ...lines].join('\n')]), 'leads.csv')
    const { importId, total } = await admin.call('dashboard', 'POST /leads/import', { body })
    expect(total).toBe(count)

    const number = async (text: string) => asNumber((await db.sql.get<{ n: unknown }>(`select ${text}`))?.n)
    const imported = () => number('count(*) as n from leads')
    const until = async (reached: () => Promise<boolean>) => {
      while (!(await reached())) await new Promise((resolve) => setTimeout(resolve, 5))
    }
    const good = (count / 10) * 9
    for (let kill = 1; kill <= kills; kill += 1) {
      await until(async () => (await imported()) >= (good / (kills + 2)) * kill)
      await endMember(server, 'SIGKILL')
      expect(await imported()).toBeLessThan(good)
      server = await startMember('all', port, installation)
    }
    await until(
      async () => (await number(`count(*) as n from lead_imports where status = 'processing'`)) === 0,
    )

    const state = await admin.call('dashboard', 'GET /leads/imports/:importId', { params: { importId } })
    expect(state).toMatchObject({ status: 'completed', total: count, imported: good, skipped: count - good })
    expect(await imported()).toBe(good)
    expect(await number('count(distinct email) as n from leads')).toBe(good)
    expect(await number('count(*) as n from lead_import_errors')).toBe(count - good)
    // The line of the last fault: a line more for each lead that goes on over two.
    expect(await number('max(line) as n from lead_import_errors')).toBe(count - 3 + 1 + count / 20 + 1)
  })
})
