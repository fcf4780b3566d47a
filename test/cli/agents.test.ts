import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cli, setUpIn, temporaryFolder } from './process.ts'

interface Config {
  role: string
  defaultConcurrency: number
  concurrency: number
  defaultSkillIds: string[]
  adapterConfig: { promptTemplate: string }
}

async function harness() {
  const folder = temporaryFolder()
  const cwd = folder.path
  await setUpIn(cwd)
  const run = (...args: string[]) => cli(args, { cwd })
  const json = async (...args: string[]): Promise<never> => {
    const { code, stdout, stderr } = await run(...args, '--json')
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
    return JSON.parse(stdout) as never
  }
  await json('tenant', 'create', '--name', 'Example Ltd')
  const write = (name: string, text: string) => writeFileSync(join(cwd, name), text)
  return { cwd, run, json, write, [Symbol.dispose]: () => folder[Symbol.dispose]() }
}

describe('copydesk agent', () => {
  it('lists, shows, sets, pushes and restores agents', async () => {
    using t = await harness()
    const role = 'blog_writer'
    t.write('prompt.md', 'You write for {{company}}.')
    const set = ['agent', 'set', role, '--concurrency', '5', '--prompt', 'prompt.md', '--max-cost', '0.50']
    const changed = (await t.json(...set)) as Config
    expect(changed).toMatchObject({ defaultConcurrency: 5, maxCostUsdPerActivity: 0.5 })
    expect(changed.adapterConfig.promptTemplate).toBe('You write for {{company}}.')
    expect((await t.run('agent', 'list')).stdout).toMatch(
      /^blog_writer\tbuiltin-writer\tlocal\t5\t\$0\.5\t0\tfree/m,
    )

    const own = ['--tenant', 'Example Ltd']
    expect(await t.json('agent', 'set', role, ...own, '--concurrency', '9')).toMatchObject({ concurrency: 9 })
    const listed = (await t.run('agent', 'list', ...own)).stdout
    expect(listed).toMatch(/^blog_writer\tidle\tbuiltin-writer\tlocal\t9\t\$0\.5\t0\tyes$/m)
    const fields = ['--fields', 'defaultConcurrency']
    expect(await t.json('agent', 'push', role, ...fields)).toEqual({ pushed: 0, skipped: 1 })
    expect((await t.run('agent', 'push', role, ...fields, '--override')).code).toBe(2)
    const push = ['agent', 'push', role, ...fields, ...own, '--override', '--yes']
    expect(await t.json(...push)).toEqual({ pushed: 1, skipped: 0 })
    expect(await t.json('agent', 'show', role, ...own)).toMatchObject({ concurrency: 5, customFields: [] })

    expect((await t.run('agent', 'show', role, '--versions')).stdout).toMatch(/^2\t\S+Z\tCopydesk\t-$/m)
    const compared = await t.run('agent', 'show', role, '--at', '2', '--against', '1')
    expect(compared.stdout).toContain('defaultConcurrency\n  2 → 5')
    expect(compared.stdout).toContain('{+write+}')
    expect(await t.json('agent', 'restore', role, '1')).toMatchObject({ defaultConcurrency: 2 })
    expect(await t.json('agent', 'restore', role, '2', ...own)).toMatchObject({ concurrency: 9 })
  })

  it('configures a runtime, the built-in loop and fallback models for a tenant', async () => {
    using t = await harness()
    const set = ['agent', 'set', 'blog_writer', '--tenant', 'Example Ltd']
    const url = 'https://agents.example/work'
    const env = { COPYDESK_WEBHOOK_SECRET: 'a secret of ours' }
    const given = await cli([...set, '--webhook', url, '--header', 'X-Agent-Key', '--json'], {
      cwd: t.cwd,
      env,
    })
    expect(given.stderr + given.stdout).not.toContain('a secret of ours')
    expect(JSON.parse(given.stdout)).toMatchObject({
      adapterType: 'adapter_b',
      adapterConfig: { webhookUrl: url, authHeader: 'X-Agent-Key' },
    })
    expect(await t.json(...set, '--built-in', '--fallback', 'builtin-writer')).toMatchObject({
      adapterType: 'local',
      adapterConfig: { fallbackModels: ['builtin-writer'] },
    })
  })

  it('rejects unknown agents, tenants and options, in one sentence', async () => {
    using t = await harness()
    t.write('prompt.md', 'You write for {{compny}}.')
    const own = ['--tenant', 'Example Ltd']
    for (const [args, code, message] of [
      [['set', 'blog_writer', '--model', 'gpt-99'], 2, 'defaultModel: No provider serves the model gpt-99'],
      [['set', 'blog_writer', '--tools', 'rm'], 2, 'defaultTools.0'],
      [['set', 'blog_writer', '--prompt', 'prompt.md'], 2, 'Nothing fills {{compny}}'],
      [['set', 'blog_writer'], 2, 'Give at least one option that changes something'],
      [['set', 'blog_writer', '--fallback', 'gpt-99'], 2, 'adapterConfig.fallbackModels: No provider serves'],
      [['set', 'blog_writer', ...own, '--command', 'claude'], 2, 'adapterConfig.command'],
      [['set', 'blog_writer', ...own, '--command', 'x', '--built-in'], 2, 'Give one of'],
      [['set', 'blog_writer', ...own, '--header', 'X-Key'], 2, '--header needs --webhook'],
      [['set', 'poet', '--concurrency', '1'], 1, 'There is no agent with this role'],
      [['show', 'blog_writer', '--against', '1'], 2, '--against needs --at'],
      [['show', 'blog_writer', '--at', '7'], 1, 'There is no version with this number'],
      [['push', 'blog_writer', '--fields', 'color'], 2, 'fields.0'],
    ] as const) {
      const refused = await t.run('agent', ...args)
      expect(refused, args.join(' ')).toMatchObject({ code, stdout: '' })
      expect(refused.stderr).toContain(message)
      expect(refused.stderr).not.toMatch(/^\s+at /m)
    }
  })
})

describe('copydesk skill', () => {
  it('adds, lists, shows and removes skills, for all tenants or for one', async () => {
    using t = await harness()
    t.write('tone.md', '---\nname: Tone\ndescription: Before you write.\n---\n\nWarm and plain.\n')
    t.write('more.md', 'Fresh oats.')
    const add = ['skill', 'add', 'tone.md', '--roles', 'blog_writer', 'social_writer']
    const skill = (await t.json(...add, '--references', 'more.md')) as { id: string }
    expect(skill).toMatchObject({
      name: 'Tone',
      description: 'Before you write.',
      scope: 'global',
      assignedAgents: ['blog_writer', 'social_writer'],
      references: [{ name: 'more.md', content: 'Fresh oats.' }],
    })
    t.write('tone.md', '---\nname: Tone\n---\nShorter.')
    expect(await t.json('skill', 'add', 'tone.md')).toMatchObject({
      id: skill.id,
      content: '---\nname: Tone\n---\nShorter.',
      assignedAgents: ['blog_writer', 'social_writer'],
    })
    t.write('own.md', 'Ours.')
    const own = ['--tenant', 'Example Ltd']
    const named = ['--name', 'Ours', '--description', 'When asked', '--roles', 'all']
    expect(await t.json('skill', 'add', 'own.md', ...named, ...own)).toMatchObject({ scope: 'tenant' })
    const listed = (await t.run('skill', 'list', ...own)).stdout
    expect(listed).toMatch(/^\w{26}\tOurs\ttenant\t5\tads_writer, /m)
    expect(listed).toMatch(/^\w{26}\tTone\tglobal\t38\tblog_writer, social_writer$/m)
    expect((await t.run('skill', 'list', '--role', 'analyst')).stdout).not.toContain('Tone')
    expect((await t.run('skill', 'show', 'Tone', ...own)).stdout).toContain('Shorter.\n\n--- more.md')
    expect((await t.run('skill', 'remove', 'Tone')).code).toBe(2)
    expect((await t.run('skill', 'remove', 'Tone', ...own, '--yes')).code).toBe(4)
    expect(await t.json('skill', 'remove', 'Tone', '--yes')).toEqual({ id: skill.id, status: 'deleted' })
    expect(await t.json('skill', 'list')).toEqual([])
    const gone = await t.run('skill', 'show', 'Tone')
    expect(gone).toMatchObject({ code: 1, stdout: '' })
    expect(gone.stderr).toContain('There is no skill Tone')
  })
})
