import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { createDirectoryBlobs } from '../../packages/core/src/platform/blobs/directory.ts'
import { readSecrets } from '../../packages/server/src/config/secrets.ts'
import { canCutPower, cutPower, type Judge } from './power-cut.ts'

const program = fileURLToPath(new URL('./power-cut-files.ts', import.meta.url))

/** Reads what is left of files and keys as the server does. */
const readAgain: Judge = async (folder, answers) => {
  const blobs = createDirectoryBlobs(join(folder, 'data', 'blobs'))
  const expected = new Map<string, boolean | undefined>()
  let keys: string[] = []
  for (const [what, ...names] of answers.map((line) => line.split(' '))) {
    if (what === 'keys') keys = names
    else expected.set(names.join(' '), what === 'removing' ? undefined : what === 'stored')
  }
  const faults: string[] = []
  for (const [key, isStored] of expected) {
    const bytes = await blobs.get(key)
    if (isStored !== undefined && isStored !== (bytes !== undefined)) faults.push(`${key} is lost or back`)
    if (bytes && Buffer.from(bytes).toString() !== key.repeat(1_000)) faults.push(`${key} has other bytes`)
  }
  const left = readSecrets(join(folder, 'data'))?.encryptionKeys.map(({ id }) => id) ?? []
  return [...faults, ...keys.filter((id) => !left.includes(id)).map((id) => `key ${id} is lost`)]
}

it.runIf(canCutPower)(
  'stored files and keys are there after a power cut, and removed files are not',
  async () => {
    const { answers, broken } = await cutPower(program, [], readAgain)
    expect(broken).toEqual([])
    expect(answers).toContain('keys k6 k5 k4 k3 k2 k1')
  },
)
