import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createSecrets, readSecrets } from '../../packages/server/src/config/secrets.ts'

const source = join(import.meta.dirname, '../../packages/server/src/config/secrets.ts')

it('the keys are as they were when the disk has no room for all of the new ones', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'copydesk-keys-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true }))
  const before = createSecrets(dataDir)
  const script = `
    const { changeSecrets, newEncryptionKey } = await import(${JSON.stringify(source)})
    const more = (keys) => [newEncryptionKey(keys), ...keys]
    changeSecrets(${JSON.stringify(dataDir)}, ({ encryptionKeys, signingKeys }) => ({
      encryptionKeys: more(more(encryptionKeys)),
      signingKeys,
    }))`
  // No file may be longer than 512 bytes.
  const limited = `trap '' XFSZ; ulimit -f 1; exec "$0" --conditions=@copydesk/source --input-type=module -e "$1"`
  const { status, stderr } = spawnSync('sh', ['-c', limited, process.execPath, script], { encoding: 'utf8' })
  expect(stderr).toContain('EFBIG')
  expect(status).not.toBe(0)
  expect(readSecrets(dataDir)).toEqual(before)
  expect(readdirSync(dataDir)).toEqual(['secrets.json'])
})
