import {
  VersionDetail,
  VersionListQuery,
  VersionPage,
  VersionQuery,
  versionNumber,
} from '../kernel/versions/schemas.ts'

/**
 * What the endpoints of every history have in common, to be spread into their definitions: ids, routes and access stay literal
 * where they are defined.
 */
export const versionList = { query: VersionListQuery, reply: { 200: VersionPage } }

export const oneVersion = {
  params: { version: versionNumber },
  query: VersionQuery,
  reply: { 200: VersionDetail },
}

export const restoredVersion = { params: { version: versionNumber } }
