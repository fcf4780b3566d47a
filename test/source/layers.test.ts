import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { layerFaults, readCore } from '../../config/layers.ts'

const faultsOf = (file: string, text: string) => layerFaults(new Map([[file, text]]))

describe('layerFaults', () => {
  it('finds none in the core', () => {
    expect(layerFaults(readCore(fileURLToPath(new URL('../..', import.meta.url))))).toEqual([])
  })

  it('rejects an import of a higher context, of a type too, and names the remedy', () => {
    const text =
      "import { oneTenant } from '../../../kernel/scope.ts'\nimport type { Run } from '../../work/runs/entities.ts'"
    expect(faultsOf('domain/accounts/tenants/change.ts', text)).toEqual([
      expect.stringMatching(/change\.ts:2: accounts must not import work: .* port/),
    ])
  })

  it('rejects an import of a higher layer, also a dynamic one', () => {
    expect(faultsOf('platform/clock.ts', "await import('../kernel/scope.ts')")).toHaveLength(1)
    expect(faultsOf('domain/work/runs/wake.ts', "import { x } from '../../../gateway/call.ts'")).toHaveLength(
      1,
    )
  })

  it('allows a context to import what is below those that it may import', () => {
    const text =
      "import { oneTenant } from '../../../kernel/scope.ts'\nimport { Tenant } from '../../accounts/tenants/entities.ts'"
    expect(faultsOf('domain/insight/feed/policy.ts', text)).toEqual([])
  })

  it('rejects an undeclared folder of the domain', () => {
    expect(faultsOf('domain/misc/x.ts', '')).toEqual([
      expect.stringContaining('"misc" is no layer or context'),
    ])
  })
})
