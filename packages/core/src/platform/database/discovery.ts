import type { MikroORM, Options } from '@mikro-orm/core'
import type { DatabaseOptions, Dialect, Entities } from './database.ts'

type EntityOptions = Partial<Pick<Options, 'entities' | 'discovery' | 'propagationOnPrototype'>>

const opened = new WeakMap<Entities, Map<Dialect, MikroORM>>()

/**
 * Opens the ORM with what an earlier one of this process has found out about the same entities: their metadata and the
 * functions that it compiled for them. They belong to the entities, not to a database, and making them again takes most of
 * the time that opening a database takes.
 * @param open is given the options that say which entities there are
 */
export async function openWithEntities<Orm extends MikroORM<any, any, any>>(
  dialect: Dialect,
  given: DatabaseOptions['entities'],
  open: (options: EntityOptions) => Promise<Orm>,
): Promise<Orm> {
  const entities = typeof given === 'function' ? await given() : given
  const ofEntities = opened.get(entities) ?? new Map<Dialect, MikroORM>()
  const earlier = ofEntities.get(dialect)
  if (earlier) return open(asIn(earlier))
  const orm = await open({
    entities: [...entities],
    discovery: {
      onMetadata(meta) {
        const isHere = ({ options }: { options?: Record<string, unknown> }) =>
          (options?.['dialect'] ?? dialect) === dialect
        meta.uniques = meta.uniques.filter(isHere)
        meta.indexes = meta.indexes.filter(isHere)
      },
    },
  })
  opened.set(entities, ofEntities.set(dialect, orm))
  return orm
}

/** Opens something at its first use, once. What could not be opened is tried again by the next one who asks. */
export function openedLater<T>(open: () => Promise<T>) {
  let opened: Promise<T> | undefined
  return {
    get(): Promise<T> {
      opened ??= open().catch((error: unknown) => {
        opened = undefined
        throw error
      })
      return opened
    },
    /** Closes what has been opened. */
    async close(close: (open: T) => Promise<unknown>): Promise<void> {
      if (opened) await opened.then(close)
    },
  }
}

function asIn(earlier: MikroORM): EntityOptions {
  const metadata = earlier.getMetadata()
  const comparator = earlier.config.getComparator(metadata)
  const hydrator = earlier.config.getHydrator(metadata)
  return {
    entities: [],
    // The classes of the entities have their accessors already.
    propagationOnPrototype: false,
    discovery: {
      warnWhenNoEntities: false,
      afterDiscovered(storage, platform) {
        for (const meta of metadata) storage.set(meta.class, meta)
        Object.assign(platform.getConfig(), {
          getComparator: () => comparator,
          getHydrator: () => hydrator,
        })
      },
    },
  }
}
