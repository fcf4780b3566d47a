import { describe, expect, it } from 'vitest'
import { createModelRegistry } from '../../../packages/core/src/domain/agents/models/registry.ts'
import { createEncryptor } from '../../../packages/core/src/platform/crypto/encryptor.ts'
import { silentLogger } from '../../../packages/core/src/platform/logger.ts'
import { createTestApp } from '../../kit/app.ts'
import { createOperator } from '../../kit/operator.ts'

describe('the registry of models', () => {
  it('uses the database no more once it has stopped, even if it was just reading', async () => {
    await using app = await createTestApp({ worker: false })
    const operator = await createOperator(app)
    const shelf = {
      name: 'Shelf',
      type: 'custom',
      apiKey: 'shelf-key-0123456789',
      baseUrl: 'http://127.0.0.1:9/v1',
      models: [{ id: 'shelf-1', name: 'Shelf', availableOnPlans: ['pro'] }],
    }
    expect(await operator.send('POST', '/admin/v1/llm-providers', shelf)).toMatchObject({ status: 201 })
    const arrived = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<never>()
    const registry = createModelRegistry({
      configured: [],
      defaultModel: '',
      fallback: [],
      prices: {},
      db: app.db,
      encryptor: createEncryptor({ keys: [{ id: 'k1', key: Buffer.alloc(32, 7) }], currentId: 'k1' }),
      // Nothing is followed before it is started.
      events: undefined as never,
      log: silentLogger,
      build: () => {
        arrived.resolve()
        return gate.promise
      },
    })
    const reloading = registry.reload()
    await arrived.promise
    const order: string[] = []
    const stopping = registry.stop().then(() => order.push('stopped'))
    const read = reloading.catch((error: Error) => order.push(error.message))
    gate.reject(new Error('no such server'))
    await Promise.all([stopping, read])
    expect(order).toEqual(['no such server', 'stopped'])
  })
})
