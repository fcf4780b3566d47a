import { randomUUID } from 'node:crypto'
import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { bundle } from '../../config/bundle.ts'

const further = {
  serve: 'test/kit/serve.ts',
  connect: 'examples/agent-runtime/connect.ts',
  'command-host': 'test/kit/command-host.ts',
  'token-user': 'test/chaos/token-user.ts',
}

/** Flags of Node for programs that end soon: room enough that nothing has to be collected while they start. */
export const shortLived = ['--min-semi-space-size=16']

let made: Promise<string> | undefined

/**
 * A program bundled from the present source, once a run: as it is shipped, and started in a fraction of the time.
 * @param name `main` is the command line, `serve` a bare server to be killed, `connect` the example of that name,
 *   `command-host` runs many command lines in one process, `token-user` uses the token of a channel
 * @returns the path of what Node runs
 */
export async function bundled(name: 'main' | keyof typeof further): Promise<string> {
  return join(await (made ??= bundleOnce()), `${name}.mjs`)
}

async function bundleOnce(): Promise<string> {
  const folder = process.env['COPYDESK_TEST_BUNDLE']
  if (!folder) throw new Error('COPYDESK_TEST_BUNDLE is not set; run the tests by config/vitest.config.ts')
  if (!existsSync(folder)) {
    const draft = `${folder}-${randomUUID()}`
    await bundle(draft, further)
    try {
      renameSync(draft, folder)
    } catch {
      // Another worker of this run was faster, with the same source.
      rmSync(draft, { recursive: true })
    }
  }
  return folder
}
