import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cli, setUpAnew, setUpIn, startCli, temporaryFolder } from './process.ts'

/** An installation with one tenant, made once and copied for each test. */
const template = temporaryFolder()
let tenantId: string

const brief = '\nA bakery in Bristol.\n\n# Spring at the *bakery* #\n\nOats and rye.\n'
const promise = ['--deliverable', 'blog_post=2']

beforeAll(async () => {
  const cwd = template.path
  await setUpIn(cwd)
  const made = await cli(
    ['tenant', 'create', '--name', 'Hearth & Oat', '--domain', 'hearth.example', '--json'],
    { cwd },
  )
  tenantId = (JSON.parse(made.stdout) as { id: string }).id
  writeFileSync(join(cwd, 'spring.md'), brief)
})

afterAll(() => template[Symbol.dispose]())

function installation() {
  const folder = temporaryFolder()
  cpSync(template.path, folder.path, { recursive: true })
  return folder
}

describe('copydesk campaign on the machine', () => {
  it('creates a campaign from a brief, through the service of the dashboard, and prints the next step', async () => {
    using folder = installation()
    const cwd = folder.path
    const made = await cli(
      [
        'campaign',
        'create',
        '--brief',
        'spring.md',
        ...promise,
        '--deliverable',
        'ad_copy=1@search_ads',
        '--budget',
        '99.50',
        '--end',
        '2999-01-31',
      ],
      { cwd },
    )
    expect({ code: made.code, stderr: made.stderr }).toMatchObject({ code: 0 })
    expect(made.stderr).toContain('for Hearth & Oat')
    expect(made.stderr).toContain('No server is running')
    expect(made.stdout).toMatch(/“Spring at the \*bakery\*” is created as campaign [0-9A-Z]{26}/)
    const id = /campaign show ([0-9A-Z]{26})/.exec(made.stdout)?.[1] ?? ''
    const shown = await cli(['campaign', 'show', id, '--json'], { cwd })
    expect(JSON.parse(shown.stdout)).toMatchObject({
      id,
      name: 'Spring at the *bakery*',
      status: 'draft',
      brief: brief.trim(),
      budgetCapUsd: 99.5,
      endDate: '2999-01-31',
      createdBy: { id: 'system', name: 'Copydesk' },
      deliverables: [
        { type: 'blog_post', quantity: 2, platforms: [] },
        { type: 'ad_copy', quantity: 1, platforms: [{ id: 'search_ads' }] },
      ],
    })
    const listed = await cli(['campaign', 'list'], { cwd })
    expect(listed.stdout).toContain('Spring at the')
    const audit = await cli(['audit', '--tenant', tenantId, '--json'], { cwd })
    expect(JSON.parse(audit.stdout)).toContainEqual(
      expect.objectContaining({
        resourceType: 'campaign',
        resourceId: id,
        actor: expect.objectContaining({ id: 'system' }),
      }),
    )
  })

  it('prints the shape of the contract, reads the brief from stdin, and leaves the planning to the server', async () => {
    using folder = installation()
    const cwd = folder.path
    const server = await startCli(['up', '--port', '0'], { cwd })
    await server.says('serves http')
    try {
      const made = await cli(
        [
          'campaign',
          'create',
          '--tenant',
          'hearth.example',
          '--title',
          'Launch',
          '--brief',
          '-',
          ...promise,
          '--json',
        ],
        { cwd, input: 'Write about oats.' },
      )
      expect(made.stderr).not.toContain('No server is running')
      const { id, ...rest } = JSON.parse(made.stdout) as { id: string }
      expect(rest).toEqual({ name: 'Launch', status: 'draft' })
      const watched = await startCli(['campaign', 'show', id, '--watch', '0.1', '--json'], { cwd })
      await watched.says('"status":"active"')
      watched.child.kill('SIGTERM')
      expect(await watched.ended).toMatchObject({ code: 0 })
    } finally {
      server.child.kill('SIGTERM')
      await server.ended
    }
  })

  it('names the invalid option, and creates nothing', async () => {
    using folder = installation()
    const cwd = folder.path
    writeFileSync(join(cwd, 'empty.md'), ' \n')
    writeFileSync(join(cwd, 'long.md'), 'x'.repeat(100_001))
    writeFileSync(join(cwd, 'huge.md'), 'x'.repeat(400_001))
    writeFileSync(join(cwd, 'binary.md'), Buffer.from([0xff, 0xfe, 0x41]))
    const given = ['--brief', 'spring.md']
    const cases: ReadonlyArray<[args: string[], said: RegExp]> = [
      [
        [...given, '--deliverable', 'blog=2'],
        /--deliverable blog=2: there is no type “blog”; known types are blog_post, social_post/,
      ],
      [
        [...given, '--deliverable', 'blog_post'],
        /--deliverable blog_post: add the quantity per period, .* blog_post=2/,
      ],
      [
        [...given, '--deliverable', 'blog_post=0'],
        /--deliverable blog_post=0: the quantity must be a whole number from 1 to 200/,
      ],
      [[...given, '--deliverable', 'blog_post=201'], /from 1 to 200/],
      [[...given, '--deliverable', 'blog_post=1@nowhere'], /There is no platform "nowhere"; known are/],
      [given, /--deliverable/],
      [promise, /--brief/],
      [[...promise, '--brief', 'missing.md'], /--brief: there is no file missing\.md/],
      [[...promise, '--brief', '.'], /--brief: \. is a folder/],
      [[...promise, '--brief', 'empty.md'], /--brief: empty\.md is empty/],
      [
        [...promise, '--brief', 'long.md'],
        /--brief: long\.md has 100001 characters, and a brief has at most 100000/,
      ],
      [[...promise, '--brief', 'huge.md'], /--brief: huge\.md is too long/],
      [[...promise, '--brief', 'binary.md'], /--brief: binary\.md is not UTF-8 text/],
      [
        [...promise, ...given, '--title', 'x'.repeat(201)],
        /--title has 201 characters: a title has 1 to 200/,
      ],
      [[...promise, ...given, '--budget', '-1'], /--budget must be an amount/],
      [[...promise, ...given, '--start', '2026-02-30'], /--start must be a day/],
      [
        [...promise, ...given, '--start', '2026-03-02', '--end', '2026-03-01'],
        /--end must not be before --start/,
      ],
    ]
    for (const [args, said] of cases) {
      const ended = await cli(['campaign', 'create', ...args], { cwd })
      expect({ args, code: ended.code, stdout: ended.stdout, stderr: ended.stderr }).toEqual({
        args,
        code: args.includes('blog_post=1@nowhere') ? 1 : 2,
        stdout: '',
        stderr: expect.stringMatching(said),
      })
    }
    expect(await cli(['campaign', 'list', '--json'], { cwd })).toMatchObject({
      stdout: expect.stringContaining('"data": []'),
    })
  })

  it('asks for a tenant when there are several, and explains how to create one when there is none', async () => {
    using folder = installation()
    const cwd = folder.path
    await cli(['tenant', 'create', '--name', 'Anvil'], { cwd })
    const args = ['campaign', 'create', '--brief', 'spring.md', ...promise]
    const unsaid = await cli(args, { cwd })
    expect(unsaid).toMatchObject({ code: 2, stdout: '' })
    expect(unsaid.stderr).toMatch(/--tenant: “(?:Anvil|Hearth & Oat)”, “(?:Anvil|Hearth & Oat)”/)
    expect(await cli([...args, '--tenant', 'No one'], { cwd })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no tenant No one'),
    })
    expect((await cli([...args, '--tenant', 'anvil', '--json'], { cwd })).code).toBe(0)
    expect((await cli(['campaign', 'list', '--tenant', tenantId, '--json'], { cwd })).stdout).toContain(
      '"data": []',
    )
  })

  it('creates the first tenant by its name, and no other', async () => {
    using folder = temporaryFolder()
    const cwd = folder.path
    const server = await startCli(['up', '--port', '0'], { cwd })
    await server.says(' campaign create --tenant "Your Company" --brief brief.md --deliverable blog_post=2')
    writeFileSync(join(cwd, 'brief.md'), brief)
    const create = (tenant: string) =>
      cli(['campaign', 'create', '--tenant', tenant, '--brief', 'brief.md', ...promise], { cwd })
    try {
      const unnamed = await cli(['campaign', 'create', '--brief', 'brief.md', ...promise], { cwd })
      expect(unnamed).toMatchObject({ code: 1, stderr: expect.stringContaining('Name one with --tenant') })
      const read = await cli(['campaign', 'list', '--tenant', 'Your Company'], { cwd })
      expect(read).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('There is no tenant Your Company'),
      })
      const first = await create('Your Company')
      expect(first).toMatchObject({ code: 0, stderr: expect.stringContaining('Your Company was created') })
      expect((await create('your company')).stderr).not.toContain('was created as')
      expect(await create('Another')).toMatchObject({ code: 1, stdout: '' })
      const person = [
        'user',
        'create',
        '--role',
        'admin',
        '--email',
        'ada@example.com',
        '--name',
        'Ada',
        '--tenant',
        'Your Company',
      ]
      expect((await cli([...person, '--password-stdin'], { cwd, input: 'a long password' })).code).toBe(0)
    } finally {
      server.child.kill('SIGTERM')
      await server.ended
    }
    expect(await setUpAnew(cwd)).not.toContain('There is no campaign yet')
  })

  it('explains both ways when there is neither an installation nor a login', async () => {
    using folder = temporaryFolder()
    const ended = await cli(['campaign', 'list'], { cwd: folder.path })
    expect(ended).toMatchObject({ code: 4, stdout: '' })
    expect(ended.stderr).toContain('copydesk login')
    expect(ended.stderr).toContain('copydesk up')
  })
})
