import { describe, expect, it } from 'vitest'
import { ask, connectAssistant } from '../kit/assistant.ts'
import { cli, startCli, temporaryFolder } from './process.ts'

async function json<T>(args: string[], cwd: string, input?: string): Promise<T> {
  const ended = await cli([...args, '--json'], { cwd, ...(input !== undefined && { input }) })
  expect(ended.stderr).not.toContain('error')
  expect(ended.code).toBe(0)
  return JSON.parse(ended.stdout) as T
}

describe('an assistant at a server started from the command line', () => {
  it('uses the key created for it, and `copydesk audit` names it', async () => {
    using folder = temporaryFolder()
    const cwd = folder.path
    const server = await startCli(['up', '--port', '0', '--json'], { cwd })
    await server.says('"pid"')
    const { url } = JSON.parse(server.said().stdout) as { url: string }
    const tenant = await json<{ id: string }>(['tenant', 'create', '--name', 'Example Ltd'], cwd)
    const email = 'rita@example.com'
    await json(
      [
        'user',
        'create',
        '--email',
        email,
        '--name',
        'Rita Reviewer',
        '--role',
        'super_admin',
        '--password-stdin',
      ],
      cwd,
      'a long password',
    )
    const create = ['api-key', 'create', '--user', email, '--name', 'Claude']
    const { key, assistantAccess } = await json<{ key: string; assistantAccess: string }>(
      [...create, '--assistant', 'decide'],
      cwd,
    )
    expect(assistantAccess).toBe('decide')
    expect(await json(create, cwd)).toMatchObject({ assistantAccess: 'read' })
    expect(await cli([...create, '--assistant', 'all'], { cwd })).toMatchObject({ code: 2, stdout: '' })
    const list = await cli(['api-key', 'list'], { cwd })
    expect(list.stdout).toMatch(/Claude.*\tactive\tdecide\t/)
    await using client = await connectAssistant({ url }, `ApiKey ${key}`, { person: () => 'accept' })
    const answer = await ask(client, 'pause', { target: 'social_writer', tenant: tenant.id })
    expect(answer).toMatchObject({ failed: false, text: expect.stringContaining('Example Ltd is paused') })
    const audit = await cli(['audit', '--tenant', tenant.id], { cwd })
    expect(audit.stdout).toContain('Rita Reviewer through claude-desktop 1.2')
    server.child.kill('SIGTERM')
    expect((await server.ended).code).toBe(0)
  })
})
