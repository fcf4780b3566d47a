import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { entities } from '../../packages/core/src/composition/entities.ts'
import { migrations } from '../../packages/core/src/composition/migrations/migrations.ts'
import type { Database } from '../../packages/core/src/platform/database/database.ts'
import { startBucket } from '../kit/bucket-server.ts'
import { openTestDatabase } from '../kit/database.ts'
import { jpegOf, uploadAsset } from '../kit/pictures.ts'
import { endMember, newInstallation, startMember } from './fleet.ts'
import { until } from './publishing.ts'
import { logIn, seedTenants } from './seed.ts'

/**
 * Keeps every row of an asset from being written, as a database that is busy. @returns ends it, after the server has died: what that one
 * has begun is taken back
 */
async function holdAssets(db: Database): Promise<() => Promise<void>> {
  if (db.dialect === 'sqlite') {
    const long =
      'with recursive c(n) as (select 1 union all select n + 1 from c where n < 1000000000) select n from c'
    await db.write((tx) =>
      tx.run(`create trigger assets_held before insert on assets begin select count(*) from (${long}); end`),
    )
    return () => db.write(async (tx) => void (await tx.run('drop trigger assets_held')))
  }
  const held = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  const holder = db.write(async (tx) => {
    await tx.run('lock table assets in exclusive mode')
    held.resolve()
    await end.promise
    await tx.all(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock' and pid <> pg_backend_pid()`,
    )
  })
  await held.promise
  return async () => {
    end.resolve()
    await holder
  }
}

describe.each(['folder', 'bucket'])('media.assets.create with files in a %s', (store) => {
  it('leaves no asset without its file when the server is killed between the two, and the file goes', {
    timeout: 120_000,
  }, async () => {
    await using database = await openTestDatabase({ entities, migrations })
    await using bucket = await startBucket()
    const { db } = database
    const storage = store === 'bucket' ? { storage: bucket.options } : {}
    const { installation, port } = await newInstallation(database.url, storage)
    const [tenant] = await seedTenants(installation, 1)
    const place = `tenants/${tenant?.tenantId}/assets`
    /** The ids of the files that are there as a whole. */
    const files = async () =>
      store === 'bucket'
        ? [...bucket.objects.keys()].flatMap((key) => (key.includes(place) ? [key.split('/').at(-1)] : []))
        : (await readdir(join(installation.dataDir, 'blobs', place)).catch(() => [])).filter(
            (name) => !name.startsWith('.'),
          )
    let server = await startMember('all', port, installation)
    onTestFinished(() => endMember(server, 'SIGKILL'))
    const logInAgain = () => logIn(installation.baseUrl, 'admin0@chaos.example', 'dashboard')
    const client = await logInAgain()
    const kept = await uploadAsset(client, jpegOf(), 'kept.jpg')
    expect(await files()).toEqual([kept.id])

    const release = await holdAssets(db)
    const upload = uploadAsset(client, jpegOf(), 'lost.jpg').catch((error: unknown) => error)
    await until(async () => (await files()).length === 2)
    await endMember(server, 'SIGKILL')
    expect(await upload).toBeInstanceOf(Error)
    await release()
    const [lost] = (await files()).filter((id) => id !== kept.id)

    server = await startMember('all', port, installation)
    const again = await logInAgain()
    const { data } = await again.call('media', 'GET /assets', { query: {} })
    expect(data.map(({ id }) => id)).toEqual([kept.id])
    expect(lost).toBeDefined()
    // An hour later.
    await db.write((tx) => tx.run(`update job set run_at = ? where kind = 'asset.tidy'`, [new Date(0)]))
    const waiting = `select 1 as one from job where kind = 'asset.tidy' and status in ('waiting', 'running')`
    await until(async () => !(await db.sql.get(waiting)))
    expect(await files()).toEqual([kept.id])
    const more = await uploadAsset(again, jpegOf(), 'lost.jpg')
    expect(new Set(await files())).toEqual(new Set([kept.id, more.id]))
  })
})
