import { openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { createDirectoryBlobs } from '../../packages/core/src/platform/blobs/directory.ts'
import { changeSecrets, createSecrets, newEncryptionKey } from '../../packages/server/src/config/secrets.ts'
import { ensureDataDir } from '../../packages/server/src/setup.ts'

/**
 * A server that stores files and changes its keys, and answers `stored <key>`, `removed <key>` and `keys <ids>`. Argument: a
 * folder, which it makes its data folder in.
 */
const [folder = ''] = process.argv.slice(2)
const dataDir = join(folder, 'data')
const answers = openSync(join(folder, 'answers'), 'a')
const answer = (...words: string[]) => void writeSync(answers, `${words.join(' ')}\n`)

ensureDataDir(dataDir)
const blobs = createDirectoryBlobs(join(dataDir, 'blobs'))
const idsOf = (keys: ReadonlyArray<{ id: string }>) => keys.map(({ id }) => id)
answer('keys', ...idsOf(createSecrets(dataDir).encryptionKeys))
for (let n = 0; n < 40; n += 1) {
  const key = `tenant-${n % 5}/document-${n}`
  await blobs.put(key, Buffer.from(key.repeat(1_000)))
  answer('stored', key)
  if (n % 4 === 3) {
    answer('removing', key)
    await blobs.remove(key)
    answer('removed', key)
  }
  if (n % 8 === 0) {
    const { encryptionKeys } = changeSecrets(dataDir, ({ encryptionKeys, signingKeys }) => ({
      encryptionKeys: [newEncryptionKey(encryptionKeys), ...encryptionKeys],
      signingKeys,
    }))
    answer('keys', ...idsOf(encryptionKeys))
  }
}
