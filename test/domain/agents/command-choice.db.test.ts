import { describe, expect, it } from 'vitest'
import { createCommandHarness, example } from '../../kit/command-harness.ts'

describe('a command', () => {
  it('must be one of the configured commands', async () => {
    await using harness = await createCommandHarness({
      example,
      theirs: { ...example, tenantIds: ['01ARZ3NDEKTSV4RRFFQ69G5FAV'] },
    })
    for (const name of ['theirs', 'nobodys']) {
      await expect(harness.use(name)).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
        field: 'adapterConfig.command',
        message: `This installation has no command called ${name}`,
      })
    }
    const config = await harness.app.db.sql.get<{ adapter_config: unknown }>(
      `select adapter_config from tenant_agents where role = 'social_writer'`,
    )
    expect(JSON.stringify(config)).toContain('example')
  })

  it('that was removed from the configuration fails the run with a message', async () => {
    await using harness = await createCommandHarness({ example })
    await harness.app.db.write((tx) =>
      tx.run(`update tenant_agents set adapter_config = '{"command":"gone"}' where role = 'social_writer'`),
    )
    await harness.order()
    expect(await harness.ended()).toMatchObject({
      status: 'failed',
      error: 'This installation has no command called gone',
      error_family: 'invalid',
    })
  })

  it.each([
    ['argv', { argv: [] }, 'names no program'],
    ['argv', { argv: ['./agent'] }, './agent must be a name or a path from the root'],
    ['argv', { argv: ['{{model}}'] }, 'the program itself cannot be a placeholder'],
    ['argv', { argv: ['agent', '{{taskToken}}'] }, 'there is no placeholder {{taskToken}}'],
    ['env', { argv: ['agent'], env: { A: '{{b}}' } }, 'there is no placeholder {{b}}'],
    ['files', { argv: ['agent'], files: [{ name: '../x', text: '' }] }, '../x is no plain file name'],
    ['passEnv', { argv: ['agent'], passEnv: ['COPYDESK_KEYS'] }, 'COPYDESK_KEYS is Copydesk’s own'],
    [
      'failures',
      { argv: ['agent'], failures: [{ match: '(', family: 'auth' as const }] },
      '( is no regular expression',
    ],
  ])('whose %s is invalid prevents the start: %j', async (field, command, message) => {
    const refused = { code: 'VALIDATION_ERROR', field: `commands.bad.${field}`, message }
    await expect(createCommandHarness({ bad: command })).rejects.toMatchObject(refused)
  })
})
