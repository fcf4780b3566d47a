import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { createProgram } from '../../packages/server/src/commands/program.ts'
import { registerCommands } from '../../packages/terminal/src/shell/commands.ts'
import { cli, type Ended, setUpIn, temporaryFolder } from './process.ts'
import { createStaff, keyOf, superAdminOf, watchStreams } from './staff.ts'

/** The commands that take `--tenant`, by the words that lead to them. */
function takingTenants(command: Command, path: readonly string[] = []): string[] {
  const own = command.options.some(({ long }) => long === '--tenant') ? [path.join(' ')] : []
  return [...own, ...command.commands.flatMap((each) => takingTenants(each, [...path, each.name()]))]
}

function staffCommands(): Command {
  const program = new Command('copydesk')
  registerCommands(program)
  return program
}

/** Those that staff share with operators, who name a tenant on their machine; a login has its own. */
const onMachine = ['campaign create', 'campaign list', 'campaign show']

/** Those for which the server takes a login of the tenant's people only; kb.test.ts names tenants there. */
const withLogin = ['kb crawl', 'kb eval', 'kb files', 'kb search']

const name = 'Rye & Oats: Bakers'
const domain = 'rye.example'

/** Its name and its domain in turn, not as they are written. */
const nextName = (() => {
  let count = 0
  return () => ((count += 1) % 2 === 0 ? name.toUpperCase() : ` ${domain.toUpperCase()} `)
})()

function expectNone(unknown: Ended): void {
  expect(unknown).toMatchObject({ code: 1, stdout: '' })
  expect(unknown.stderr).toMatch(/^error: There is no tenant Rey & Oats\. .*Rye & Oats: Bakers/)
}

function expectSeveral(path: string, several: Ended, twins: readonly string[]): void {
  expect({ path, code: several.code, stdout: several.stdout }).toEqual({ path, code: 2, stdout: '' })
  for (const id of twins) expect(several.stderr, path).toContain(id)
  expect(several.stderr).toContain('twin.example')
}

describe('every --tenant of staff', () => {
  const lines: Readonly<Record<string, readonly string[]>> = {
    status: ['status'],
    queue: ['queue', '--status', 'failed'],
    feed: ['feed'],
    agents: ['agents'],
    queues: ['queues'],
    cost: ['cost'],
    ask: ['ask', 'what', 'waits', 'for', 'me'],
    bulk: ['bulk', 'approve', '--risk', 'low', '--dry-run'],
    run: ['run', 'blog_writer', 'Write about the oven', '--yes'],
    pause: ['pause', 'blog_writer'],
    resume: ['resume', 'blog_writer'],
    'kb list': ['kb', 'list'],
    'kb upload': ['kb', 'upload', 'oats.md'],
    tail: ['tail'],
    login: ['login', '--api-key-stdin'],
    'profile use': ['profile', 'use', 'local'],
  }

  it('is covered by this test', () => {
    const elsewhere = [...onMachine, ...withLogin]
    const staff = takingTenants(staffCommands()).filter((path) => !elsewhere.includes(path))
    expect(staff.toSorted()).toEqual(Object.keys(lines).toSorted())
  })

  it('accepts an id, a name and a domain, and reports ambiguous ones', { timeout: 120_000 }, async () => {
    await using staff = await createStaff()
    writeFileSync(join(staff.home, 'oats.md'), 'Oats without sugar.')
    const system = staff.harness.app.copydesk.asSystem()
    const { id } = await system.tenants.create({ name, domain, plan: 'pro', timezone: 'UTC' })
    const one = await system.tenants.create({ name: 'Twin', plan: 'pro', timezone: 'UTC' })
    const other = await system.tenants.create({
      name: 'twin',
      domain: 'twin.example',
      plan: 'pro',
      timezone: 'UTC',
    })
    const { key } = await keyOf(staff.harness, (await superAdminOf(staff.harness)).id)
    const env = { ...staff.env, COPYDESK_API_KEY: key }
    const inputOf = (path: string) => ({ env, ...(path === 'login' && { input: key }) })
    expect((await staff.run(['login', '--api-key-stdin'], inputOf('login'))).code).toBe(0)
    for (const [path, args] of Object.entries(lines)) {
      const run = (tenant: string) => staff.run([...args, '--tenant', tenant], inputOf(path))
      expectSeveral(path, await run('TWIN'), [one.id, other.id])
      if (path === 'tail') continue
      const named = nextName()
      const { code, stderr } = await run(named)
      expect({ path, named, code, stderr }).toMatchObject({ code: 0 })
    }
    expectNone(await staff.run(['queue', '--tenant', 'Rey & Oats'], { env }))
    for (const named of [id.toLowerCase(), name, domain.toUpperCase()])
      expect((await staff.run(['queue', '--tenant', named], { env })).code).toBe(0)
    const { tenants } = await staff.json<{ tenants: unknown }>(['status', '--tenant', 'RYE.example'], { env })
    expect(tenants).toMatchObject([{ tenantId: id }])
    const profile = await staff.json(['profile', 'show', 'local'], { env })
    expect(profile).toMatchObject({ tenantId: id })
    const empty = await staff.run(['queue', '--tenant', ''], { env })
    expect(empty).toMatchObject({ code: 2, stdout: '' })
    expect((await staff.run(['impersonate', domain], { env })).code).toBe(0)
  })

  it('follows the events of a named tenant', async () => {
    const { streams, between } = watchStreams()
    await using staff = await createStaff({ between })
    const { name: own } = await staff.harness.app.copydesk.asSystem().tenants.get(staff.harness.team.tenantId)
    const following = await staff.begin(['tail', '--json', '--tenant', own])
    await staff.harness.app.until(async () => streams[0]?.headersSent, 'the stream is open')
    const { approvalId } = await staff.waiting()
    await following.says(approvalId)
    following.child.kill('SIGTERM')
    expect((await following.ended).code).toBe(0)
  })

  it('is optional for users of one tenant, and required for others', async () => {
    await using staff = await createStaff()
    const needing = [
      ['run', 'blog_writer', 'Write about the oven', '--yes'],
      ['pause', 'blog_writer'],
      ['resume', 'blog_writer'],
    ]
    for (const args of needing) {
      const { code, stderr } = await staff.run(args)
      expect({ args, code, stderr }).toMatchObject({ code: 0 })
    }
    const system = staff.harness.app.copydesk.asSystem()
    await system.tenants.create({ name, domain, plan: 'pro', timezone: 'UTC' })
    const { key } = await keyOf(staff.harness, (await superAdminOf(staff.harness)).id)
    const env = { ...staff.env, COPYDESK_API_KEY: key }
    for (const args of needing) {
      const ended = await staff.run(args, { env })
      expect(ended).toMatchObject({ code: 2, stdout: '' })
      expect(ended.stderr).toContain('--tenant')
      // The reviewer still reaches one only.
      expect((await staff.run(args)).code).toBe(0)
    }
  })
})

describe('every --tenant of operators', () => {
  const person = ['--name', 'Ada', '--role', 'admin']
  const lines: Readonly<Record<string, readonly string[]>> = {
    'campaign create': ['campaign', 'create', '--brief', 'tone.md', '--deliverable', 'blog_post=1'],
    'campaign list': ['campaign', 'list'],
    'campaign show': ['campaign', 'show', 'CAMPAIGN'],
    'agent list': ['agent', 'list'],
    'agent show': ['agent', 'show', 'blog_writer'],
    'agent set': ['agent', 'set', 'blog_writer', '--concurrency', '4'],
    'agent push': ['agent', 'push', 'blog_writer', '--fields', 'defaultModel'],
    'agent restore': ['agent', 'restore', 'blog_writer', '1'],
    'runs list': ['runs', 'list'],
    'skill list': ['skill', 'list'],
    'skill add': ['skill', 'add', 'tone.md', '--name', 'Tone', '--description', 'All'],
    'skill show': ['skill', 'show', 'Tone'],
    'skill remove': ['skill', 'remove', 'Tone', '--yes'],
    'user create': ['user', 'create', '--email', 'ada@example.com', ...person, '--password-stdin'],
    'user invite': ['user', 'invite', '--email', 'ivy@example.com', ...person],
    'user list': ['user', 'list'],
    'invite list': ['invite', 'list'],
    'invoice list': ['invoice', 'list'],
    'billing events': ['billing', 'events'],
    'mail templates': ['mail', 'templates'],
    'mail preview': ['mail', 'preview', 'invitation'],
    'mail test': ['mail', 'test', 'ada@example.com'],
    'api-key create': ['api-key', 'create', '--user', 'r@example.com', '--name', 'Key'],
    audit: ['audit'],
    'jobs queues': ['jobs', 'queues'],
    'jobs list': ['jobs', 'list'],
    'jobs retry': ['jobs', 'retry', '--all', '--yes'],
  }

  it('is covered by this test', async () => {
    const program = await createProgram([])
    const staff = new Set(takingTenants(staffCommands()))
    const own = takingTenants(program).filter((path) => !staff.has(path) || onMachine.includes(path))
    expect(own.toSorted()).toEqual(Object.keys(lines).toSorted())
  })

  it('accepts an id, a name and a domain, and reports ambiguous ones', { timeout: 180_000 }, async () => {
    using folder = temporaryFolder()
    const cwd = folder.path
    await setUpIn(cwd)
    writeFileSync(join(cwd, 'tone.md'), 'Short sentences.')
    const created = async (...args: string[]) => {
      const { code, stdout, stderr } = await cli(args, { cwd, input: 'a long password' })
      expect({ args, code, stderr }).toMatchObject({ code: 0 })
      return stdout.trim()
    }
    const id = await created('tenant', 'create', '--name', name, '--domain', domain)
    // There is one tenant: what needs one needs no more than that.
    await created('user', 'invite', '--email', 'first@example.com', ...person)
    await created('user', 'create', '--email', 'second@example.com', ...person, '--password-stdin')
    await created('agent', 'set', 'blog_writer', '--built-in')
    const one = await created('tenant', 'create', '--name', 'Twin')
    const other = await created('tenant', 'create', '--name', 'twin', '--domain', 'twin.example')
    for (const args of [
      ['user', 'invite', '--email', 'third@example.com', ...person],
      ['user', 'create', '--email', 'fourth@example.com', ...person, '--password-stdin'],
      ['agent', 'set', 'blog_writer', '--built-in'],
    ]) {
      const ended = await cli(args, { cwd, input: 'a long password' })
      expect({ args, ...ended }).toMatchObject({ code: 2, stdout: '' })
      expect(ended.stderr).toContain('--tenant')
    }
    const reviewer = ['user', 'create', '--email', 'r@example.com', '--name', 'R', '--role', 'reviewer']
    await created(...reviewer, '--tenant', domain, 'twin.example', '--password-stdin')
    const start = ['campaign', 'create', '--brief', 'tone.md', '--deliverable', 'blog_post=1', '--tenant', id]
    const campaign = JSON.parse(await created(...start, '--json')) as { id: string }
    for (const [path, words] of Object.entries(lines)) {
      const args = words.map((word) => (word === 'CAMPAIGN' ? campaign.id : word))
      const run = (tenant: string) => cli([...args, '--tenant', tenant], { cwd, input: 'a long password' })
      expectSeveral(path, await run('TWIN'), [one, other])
      const named = nextName()
      const { code, stderr } = await run(named)
      expect({ path, named, code, stderr }).toMatchObject({ code: 0 })
    }
    expectNone(await cli(['audit', '--tenant', 'Rey & Oats'], { cwd }))
    for (const named of [id.toLowerCase(), name, domain.toUpperCase()])
      expect((await cli(['user', 'list', '--tenant', named], { cwd })).code).toBe(0)
    const users = await cli(['user', 'list', '--tenant', domain, '--json=email'], { cwd })
    expect(JSON.parse(users.stdout)).toContainEqual({ email: 'ada@example.com' })
  })
})
