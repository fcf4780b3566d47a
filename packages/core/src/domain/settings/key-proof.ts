import type { Box } from '../../platform/crypto/box.ts'
import { type Database, DatabaseError } from '../../platform/database/database.ts'
import { Setting } from './entities.ts'

const name = 'encryption_key_proof'
const proof = 'copydesk'

/**
 * Makes sure that what is sealed in this database can be opened with the configured key: the first start leaves a sealed
 * word, every later one opens it.
 * @throws DatabaseError when the key is another one
 */
export async function proveKey(db: Database, box: Box): Promise<void> {
  await db.unitOfWork('all', async (em) => {
    const stored = await em.findOne(Setting, { name })
    if (!stored) return void em.create(Setting, { name, value: box.seal(proof, name) })
    try {
      if (box.open(stored.value, name) === proof) return
    } catch (error) {
      throw wrongKey(error)
    }
    throw wrongKey()
  })
}

function wrongKey(cause?: unknown): DatabaseError {
  return new DatabaseError(
    'The encryption key is not the one that this database was set up with. Put the old key back, or restore the backup that belongs to this key.',
    { cause },
  )
}
