import { channelSettings } from './channels.ts'
import { embeddingSettings } from './embeddings.ts'
import { imageSettings } from './images.ts'
import { invoicingSettings } from './invoicing.ts'
import { paymentSettings } from './payments.ts'
import { pushSettings } from './push.ts'
import { rerankSettings } from './rerank.ts'
import { smsSettings } from './sms.ts'
import { storageSettings } from './storage.ts'

/** How the text of an environment variable is parsed. */
export type SettingKind =
  | 'text'
  | 'number'
  | 'boolean'
  | 'list'
  | 'encryptionKeys'
  | 'signingKeys'
  | 'prices'
  | 'rates'

/** One setting: its path in the file, and the variables that set it, the first of which takes precedence. */
export interface Setting {
  path: string
  env: readonly string[]
  kind: SettingKind
  /** Can also be read from the file that `<variable>_FILE` names, and is never shown. */
  secret?: true
  /** One of a group of similar settings: omitted from `config show` when it is not set. */
  shownWhenSet?: true
}

export const settings: readonly Setting[] = [
  { path: 'dataDir', env: ['COPYDESK_DATA_DIR'], kind: 'text' },
  { path: 'environment', env: ['COPYDESK_ENVIRONMENT'], kind: 'text' },
  { path: 'database.url', env: ['COPYDESK_DATABASE_URL'], kind: 'text', secret: true },
  {
    path: 'database.listenUrl',
    env: ['COPYDESK_DATABASE_LISTEN_URL'],
    kind: 'text',
    secret: true,
    shownWhenSet: true,
  },
  {
    path: 'database.preparedStatements',
    env: ['COPYDESK_DATABASE_PREPARED_STATEMENTS'],
    kind: 'boolean',
    shownWhenSet: true,
  },
  ...storageSettings,
  { path: 'redis.url', env: ['COPYDESK_REDIS_URL'], kind: 'text', secret: true },
  { path: 'redis.prefix', env: ['COPYDESK_REDIS_PREFIX'], kind: 'text' },
  { path: 'role', env: ['COPYDESK_ROLE'], kind: 'text' },
  { path: 'host', env: ['COPYDESK_HOST'], kind: 'text' },
  { path: 'port', env: ['COPYDESK_PORT'], kind: 'number' },
  { path: 'baseUrl', env: ['COPYDESK_BASE_URL'], kind: 'text' },
  { path: 'trustProxy.addresses', env: ['COPYDESK_TRUST_PROXY'], kind: 'list' },
  { path: 'trustProxy.forwardedFor', env: ['COPYDESK_TRUST_PROXY_FORWARDED_FOR'], kind: 'text' },
  { path: 'corsOrigins', env: ['COPYDESK_CORS_ORIGINS'], kind: 'list' },
  { path: 'allowHosts', env: ['COPYDESK_ALLOW_HOSTS'], kind: 'list' },
  { path: 'mail.from', env: ['COPYDESK_MAIL_FROM'], kind: 'text' },
  { path: 'mail.links', env: ['COPYDESK_MAIL_LINKS'], kind: 'text' },
  { path: 'mail.smtp.url', env: ['COPYDESK_MAIL_SMTP_URL'], kind: 'text', secret: true },
  { path: 'mail.smtp.host', env: ['COPYDESK_MAIL_SMTP_HOST'], kind: 'text' },
  { path: 'mail.smtp.port', env: ['COPYDESK_MAIL_SMTP_PORT'], kind: 'number' },
  { path: 'mail.smtp.user', env: ['COPYDESK_MAIL_SMTP_USER'], kind: 'text' },
  { path: 'mail.smtp.password', env: ['COPYDESK_MAIL_SMTP_PASSWORD'], kind: 'text', secret: true },
  { path: 'mail.smtp.secure', env: ['COPYDESK_MAIL_SMTP_SECURE'], kind: 'boolean' },
  { path: 'mail.api.key', env: ['COPYDESK_MAIL_API_KEY'], kind: 'text', secret: true },
  { path: 'mail.api.baseUrl', env: ['COPYDESK_MAIL_API_BASE_URL'], kind: 'text' },
  { path: 'mail.webhookSecrets', env: ['COPYDESK_MAIL_WEBHOOK_SECRETS'], kind: 'list', secret: true },
  { path: 'mail.cloud.region', env: ['COPYDESK_MAIL_CLOUD_REGION'], kind: 'text' },
  { path: 'mail.cloud.accessKeyId', env: ['COPYDESK_MAIL_CLOUD_ACCESS_KEY_ID'], kind: 'text' },
  {
    path: 'mail.cloud.secretAccessKey',
    env: ['COPYDESK_MAIL_CLOUD_SECRET_ACCESS_KEY'],
    kind: 'text',
    secret: true,
  },
  { path: 'mail.cloud.baseUrl', env: ['COPYDESK_MAIL_CLOUD_BASE_URL'], kind: 'text' },
  { path: 'mail.cloud.topic.arn', env: ['COPYDESK_MAIL_CLOUD_TOPIC_ARN'], kind: 'text' },
  { path: 'mail.cloud.topic.baseUrl', env: ['COPYDESK_MAIL_CLOUD_TOPIC_BASE_URL'], kind: 'text' },
  { path: 'mail.dkim.domain', env: ['COPYDESK_MAIL_DKIM_DOMAIN'], kind: 'text' },
  { path: 'mail.dkim.selector', env: ['COPYDESK_MAIL_DKIM_SELECTOR'], kind: 'text' },
  { path: 'mail.dkim.privateKey', env: ['COPYDESK_MAIL_DKIM_PRIVATE_KEY'], kind: 'text', secret: true },
  { path: 'mail.limits.perTenant', env: ['COPYDESK_MAIL_LIMITS_PER_TENANT'], kind: 'number' },
  { path: 'mail.limits.total', env: ['COPYDESK_MAIL_LIMITS_TOTAL'], kind: 'number' },
  ...pushSettings,
  ...smsSettings,
  { path: 'appScheme', env: ['COPYDESK_APP_SCHEME'], kind: 'text' },
  { path: 'worker.concurrency', env: ['COPYDESK_WORKER_CONCURRENCY'], kind: 'number' },
  { path: 'log.level', env: ['COPYDESK_LOG_LEVEL'], kind: 'text' },
  { path: 'log.format', env: ['COPYDESK_LOG_FORMAT'], kind: 'text' },
  { path: 'encryptionKeys', env: ['COPYDESK_ENCRYPTION_KEYS'], kind: 'encryptionKeys', secret: true },
  { path: 'signingKeys', env: ['COPYDESK_SIGNING_KEYS'], kind: 'signingKeys', secret: true },
  {
    path: 'providers.hosted_a.apiKey',
    env: ['COPYDESK_HOSTED_A_API_KEY', 'ANTHROPIC_API_KEY'],
    kind: 'text',
    secret: true,
  },
  { path: 'providers.hosted_a.baseUrl', env: ['COPYDESK_HOSTED_A_BASE_URL'], kind: 'text' },
  { path: 'providers.hosted_a.models', env: ['COPYDESK_HOSTED_A_MODELS'], kind: 'list' },
  {
    path: 'providers.hosted_b.apiKey',
    env: ['COPYDESK_HOSTED_B_API_KEY', 'OPENAI_API_KEY'],
    kind: 'text',
    secret: true,
  },
  { path: 'providers.hosted_b.baseUrl', env: ['COPYDESK_HOSTED_B_BASE_URL'], kind: 'text' },
  { path: 'providers.hosted_b.models', env: ['COPYDESK_HOSTED_B_MODELS'], kind: 'list' },
  { path: 'providers.local.baseUrl', env: ['COPYDESK_LOCAL_BASE_URL'], kind: 'text' },
  { path: 'providers.local.models', env: ['COPYDESK_LOCAL_MODELS'], kind: 'list' },
  { path: 'providers.custom.baseUrl', env: ['COPYDESK_CUSTOM_BASE_URL'], kind: 'text' },
  { path: 'providers.custom.apiKey', env: ['COPYDESK_CUSTOM_API_KEY'], kind: 'text', secret: true },
  { path: 'providers.custom.models', env: ['COPYDESK_CUSTOM_MODELS'], kind: 'list' },
  ...channelSettings,
  { path: 'models.fallback', env: ['COPYDESK_MODELS_FALLBACK'], kind: 'list' },
  { path: 'models.prices', env: ['COPYDESK_MODELS_PRICES'], kind: 'prices' },
  ...embeddingSettings,
  ...rerankSettings,
  ...imageSettings,
  ...paymentSettings,
  { path: 'quotas.tenantMb', env: ['COPYDESK_QUOTAS_TENANT_MB'], kind: 'number' },
  { path: 'quotas.installationMb', env: ['COPYDESK_QUOTAS_INSTALLATION_MB'], kind: 'number' },
  ...invoicingSettings,
  { path: 'registration', env: ['COPYDESK_REGISTRATION'], kind: 'text' },
  { path: 'freeTenants.perDay', env: ['COPYDESK_FREE_TENANTS_PER_DAY'], kind: 'number' },
  { path: 'freeTenants.monthlyUsd', env: ['COPYDESK_FREE_TENANTS_MONTHLY_USD'], kind: 'number' },
  { path: 'defaultModel', env: ['COPYDESK_DEFAULT_MODEL'], kind: 'text' },
]

/** Variables that have a meaning without being settings. */
export const otherVariables: readonly string[] = [
  'COPYDESK_CONFIG',
  'COPYDESK_DEBUG',
  'COPYDESK_PROVIDER_API_KEY',
  'COPYDESK_RELAUNCHED',
  'COPYDESK_STARTED_AS',
]
