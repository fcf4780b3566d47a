import { existsSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The script of the API reference page: beside the bundled program, or in node_modules when run from source.
 */
export function referencePage(): string | undefined {
  const here = import.meta.dirname
  const places = [
    join(here, 'reference', 'standalone.js'),
    join(here, '..', 'reference', 'standalone.js'),
    join(
      here,
      '..',
      '..',
      '..',
      'node_modules',
      '@scalar',
      'api-reference',
      'dist',
      'browser',
      'standalone.js',
    ),
  ]
  return places.find((place) => existsSync(place))
}
