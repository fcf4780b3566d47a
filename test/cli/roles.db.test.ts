import { createClient } from '@copydesk/client'
import { describe, expect, it } from 'vitest'
import { entities } from '../../packages/core/src/composition/entities.ts'
import { migrations } from '../../packages/core/src/composition/migrations/migrations.ts'
import { brief } from '../kit/app.ts'
import { dialect, openTestDatabase } from '../kit/database.ts'
import { cli, type Running, setUpIn, startCli, temporaryFolder } from './process.ts'

/** Starts a server on a port of its own. @returns it and its address */
async function serve(args: string[], options: Parameters<typeof startCli>[1]) {
  const running = await startCli(['serve', '--port', '0', '--json', ...args], options)
  await running.says('"pid"')
  return { ...running, ...(JSON.parse(running.said().stdout) as { url: string; role: string }) }
}

async function stop(servers: readonly Running[]): Promise<void> {
  for (const { child } of servers) child.kill('SIGTERM')
  for (const { ended } of servers) expect(await ended).toMatchObject({ code: 0 })
}

describe.skipIf(dialect === 'sqlite')('copydesk serve --role', () => {
  it('two web and two worker processes share one PostgreSQL', { timeout: 180_000 }, async () => {
    await using database = await openTestDatabase({ entities, migrations })
    using folder = temporaryFolder()
    const { path: cwd } = folder
    const env = { COPYDESK_DATABASE_URL: database.url, COPYDESK_LOG_LEVEL: 'warn' }
    const up = await startCli(['up', '--port', '0'], { cwd, env })
    await up.says('serves http')
    await stop([up])
    const made = async (args: string[], input = '') => {
      const ended = await cli([...args, '--json'], { cwd, env, input })
      expect(ended).toMatchObject({ code: 0 })
      return JSON.parse(ended.stdout) as { id: string }
    }
    const password = 'a long password'
    const { id: tenant } = await made(['tenant', 'create', '--name', 'Example Ltd'])
    const person = ['user', 'create', '--name', 'Ada', '--password-stdin', '--tenant', tenant]
    await made([...person, '--email', 'ada@example.com', '--role', 'admin'], password)
    await made([...person, '--email', 'rita@example.com', '--role', 'reviewer'], password)

    const [one, two, ...workers] = await Promise.all([
      serve(['--role', 'web'], { cwd, env }),
      serve([], { cwd, env: { ...env, COPYDESK_ROLE: 'web' } }),
      serve(['--role', 'worker'], { cwd, env }),
      serve(['--role', 'worker'], { cwd, env }),
    ])
    expect([one, two, ...workers].map(({ role }) => role)).toEqual(['web', 'web', 'worker', 'worker'])
    for (const { url } of workers) {
      expect((await fetch(`${url}/health/ready`)).status).toBe(200)
      expect((await fetch(`${url}/auth/v1/plans`)).status).toBe(404)
    }
    const logIn = async (baseUrl: string, email: string, app: 'dashboard' | 'dm-portal') => {
      const body = { email, password, app }
      const { accessToken: token } = await createClient({ baseUrl }).call('auth', 'POST /login', { body })
      return { token, client: createClient({ baseUrl, token }) }
    }
    const admin = await logIn(one.url, 'ada@example.com', 'dashboard')
    const reviewer = await logIn(two.url, 'rita@example.com', 'dm-portal')
    const watching = await fetch(`${two.url}/dashboard/v1/events/stream`, {
      headers: { authorization: `Bearer ${admin.token}` },
    })
    await admin.client.call('dashboard', 'POST /campaigns', {
      body: { name: 'Spring', brief, deliverables: [{ type: 'blog_post', quantity: 2 }] },
    })
    // What happens in the workers is seen at the other web process while it happens.
    let seen = ''
    const text = new TextDecoder()
    for await (const chunk of watching.body as unknown as AsyncIterable<Uint8Array>) {
      seen += text.decode(chunk, { stream: true })
      if (seen.split('event: approval_created').length === 3) break
    }
    const { data } = await reviewer.client.call('dm', 'GET /approvals', {
      query: { 'filter.status': 'pending' },
    })
    expect(data).toHaveLength(2)
    for (const { id: approvalId } of data) {
      await reviewer.client.call('dm', 'POST /approvals/:approvalId/resolve', {
        params: { approvalId },
        body: { resolution: 'approved' },
      })
    }
    const statuses = async () =>
      (await admin.client.call('dashboard', 'GET /activities')).data.map(({ status }) => status)
    await expect.poll(statuses, { timeout: 30_000, interval: 50 }).toEqual(['done', 'done', 'done', 'done'])
    const owners = await database.db.sql.all<{ n: number }>(
      `select count(*) as n from runs where status <> 'completed'`,
    )
    expect(Number(owners[0]?.n)).toBe(0)
    await stop([one, two, ...workers])
  })
})

describe.skipIf(dialect !== 'sqlite')('copydesk serve', () => {
  it('rejects roles on SQLite, with the remedy in a sentence', async () => {
    using folder = temporaryFolder()
    const { path: cwd } = folder
    await setUpIn(cwd)
    for (const [args, env] of [
      [['serve', '--role', 'worker'], {}],
      [['up'], { COPYDESK_ROLE: 'web' }],
    ] as const) {
      const { code, stderr } = await cli(args, { cwd, env })
      expect(code).toBe(2)
      expect(stderr).toMatch(/^error: The role (worker|web) needs PostgreSQL, .+ database\.url to postgres:/)
    }
    const unknown = await cli(['serve'], { cwd, env: { COPYDESK_ROLE: 'both' } })
    expect(unknown).toMatchObject({ code: 2 })
    expect(unknown.stderr).toContain('role: must be one of all, web, worker')
  })

  it('passes agents the port that was picked', async () => {
    using folder = temporaryFolder()
    const { path: cwd } = folder
    await setUpIn(cwd)
    const { createServer } = await import('node:http')
    const posted = Promise.withResolvers<{ callbackUrl: string }>()
    const runtime = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => void chunks.push(chunk))
      request.on('end', () => {
        posted.resolve(JSON.parse(Buffer.concat(chunks).toString('utf8')) as { callbackUrl: string })
        response.writeHead(202).end()
      })
    })
    await new Promise<void>((resolve) => runtime.listen(0, '127.0.0.1', resolve))
    const { port } = runtime.address() as { port: number }
    const made = async (args: string[], input = '') =>
      JSON.parse((await cli([...args, '--json'], { cwd, input })).stdout) as { id: string }
    const password = 'a long password'
    const { id: tenant } = await made(['tenant', 'create', '--name', 'Example Ltd'])
    const person = ['--email', 'ada@example.com', '--name', 'Ada', '--role', 'admin', '--tenant', tenant]
    await made(['user', 'create', '--password-stdin', ...person], password)
    const server = await serve([], { cwd, env: { COPYDESK_ALLOW_HOSTS: '127.0.0.1' } })
    const login = { body: { email: 'ada@example.com', password, app: 'dashboard' as const } }
    const { accessToken: token } = await createClient({ baseUrl: server.url }).call(
      'auth',
      'POST /login',
      login,
    )
    expect(new URL(server.url).port).not.toBe('0')
    const { default: BetterSqlite } = await import('better-sqlite3')
    const file = new BetterSqlite(`${cwd}/copydesk-data/copydesk.db`)
    file
      .prepare(
        `update tenant_agents set adapter_type = 'adapter_b', adapter_config = ? where role = 'social_writer'`,
      )
      .run(JSON.stringify({ webhookUrl: `http://127.0.0.1:${port}/work` }))
    file.close()
    await createClient({ baseUrl: server.url, token }).call('dashboard', 'POST /campaigns', {
      body: { name: 'Spring', brief, deliverables: [{ type: 'social_post', quantity: 1 }] },
    })
    const { callbackUrl } = await posted.promise
    expect(callbackUrl).toMatch(new RegExp(`^${server.url}/agent/v1/callback/`))
    await stop([server])
    runtime.closeAllConnections()
    runtime.close()
  })
})
