import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { cliProcess, temporaryFolder } from './process.ts'

const brief = fileURLToPath(new URL('../../examples/briefs/spring-launch.md', import.meta.url))

describe('copydesk demo', () => {
  it('goes from the brief to the approved texts by itself, shows each text whole, and leaves nothing behind', async () => {
    using folder = temporaryFolder()
    const { code, stdout, stderr } = await cliProcess(['demo', '--yes', '--json', '--brief', brief], {
      cwd: folder.path,
      env: { TMPDIR: folder.path },
    })
    expect(stderr).toContain('Results')
    expect(code).toBe(0)
    const { pieces, url } = JSON.parse(stdout) as {
      pieces: Array<{ status: string; sentBack: number }>
      url: string | null
    }
    expect(pieces).toHaveLength(7)
    expect(new Set(pieces.map(({ status }) => status))).toEqual(new Set(['done']))
    expect(pieces.filter(({ sentBack }) => sentBack === 1)).toHaveLength(1)
    expect(url).toBeNull()
    // A question stands in a line of its own, and after the note with which the writer ends each text.
    const questions = stderr.split(/\n\? .* · version \d+/).slice(0, -1)
    expect(questions).toHaveLength(5)
    for (const before of questions) expect(before).toMatch(/(?:No model was used\.\*|approved|”)\s*$/)
    expect(readdirSync(folder.path).filter((name) => name.startsWith('copydesk-demo'))).toEqual([])
  })
})
