import type { ErrorCode } from '../kernel/errors.ts'
import type { Access } from './access.ts'
import type { AnyEndpoint, Kind } from './definition.ts'
import type { Deprecation } from './deprecation.ts'
import { refusals } from './errors.ts'
import type { Method } from './route.ts'
import type { AnySurface } from './surface.ts'

/** What there is to tell about an endpoint, for listings and for tests of every endpoint. */
export interface EndpointInfo {
  id: string
  surface: string
  method: Method
  /** With the prefix of the surface. */
  path: string
  summary: string
  kind: Kind
  access: Access
  success: number
  /** Every code that it can be refused with. */
  errors: ErrorCode[]
  deprecated: Deprecation | undefined
  definition: AnyEndpoint
}

/** Describes an endpoint as it stands on its surface. */
export function infoOf(surface: AnySurface, endpoint: AnyEndpoint): EndpointInfo {
  return {
    id: endpoint.id,
    surface: surface.name,
    method: endpoint.method,
    path: surface.prefix + (endpoint.path === '/' && surface.prefix !== '' ? '' : endpoint.path),
    summary: endpoint.summary,
    kind: endpoint.kind,
    access: endpoint.access,
    success: endpoint.success,
    errors: [...refusals(surface, endpoint)],
    deprecated: endpoint.deprecated ?? surface.deprecated,
    definition: endpoint,
  }
}
