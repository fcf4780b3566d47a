import manifest from '../../package.json' with { type: 'json' }

/** The running version, as `GET /health` and `copydesk version` tell it. */
export const version: string = manifest.version
