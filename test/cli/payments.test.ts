import { describe, expect, it } from 'vitest'
import { hostsOfPayments, toPaymentOptions } from '../../packages/server/src/config/payments.ts'
import { cli, temporaryFolder } from './process.ts'
import { show } from './shown-config.ts'

const env = {
  COPYDESK_PAYMENTS_PROVIDER: 'hosted_b',
  COPYDESK_PAYMENTS_KEY_ID: 'pk_test_1',
  COPYDESK_PAYMENTS_KEY_SECRET: 'sk_test_hidden',
  COPYDESK_PAYMENTS_WEBHOOK_SECRETS: 'whsec_hidden,whsec_hidden_too',
}

describe('the settings of payments', () => {
  it('name either hosted provider, and no secret is shown', async () => {
    using folder = temporaryFolder()
    for (const provider of ['hosted_a', 'hosted_b']) {
      const { of, settings } = await show(folder.path, { ...env, COPYDESK_PAYMENTS_PROVIDER: provider })
      expect(of('payments.provider')).toMatchObject({ value: provider })
      expect(of('payments.keyId')).toMatchObject({ value: 'pk_test_1' })
      expect(JSON.stringify(settings)).not.toContain('hidden')
    }
  })

  it.each([
    [{ COPYDESK_PAYMENTS_PROVIDER: 'stripes' }, 'payments.provider'],
    [{ COPYDESK_PAYMENTS_WEBHOOK_SECRETS: 'a,b,c' }, 'payments.webhookSecrets: has room for two secrets'],
    [{ COPYDESK_PAYMENTS_BASE_URL: 'ftp://stripe.example' }, 'payments.baseUrl: must be a URL'],
    [{ COPYDESK_PAYMENTS_BASE_URL: 'stripe' }, 'payments.baseUrl: must be a URL'],
  ])('are refused with the name of what is wrong: %o', async (changes, message) => {
    using folder = temporaryFolder()
    const { code, stderr } = await cli(['config', 'show'], { cwd: folder.path, env: { ...env, ...changes } })
    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })

  it('let a server in a private network be called, and nothing where people see to the payments', () => {
    const payments = {
      provider: 'hosted_b' as const,
      keyId: 'k',
      keySecret: 's',
      webhookSecrets: ['w'],
      baseUrl: 'http://10.0.0.7:12111',
    }
    expect(hostsOfPayments({ payments })).toEqual(['10.0.0.7:12111'])
    expect(toPaymentOptions({ payments })).toEqual(payments)
    expect(hostsOfPayments({ payments: { provider: 'manual' } })).toEqual([])
    expect(toPaymentOptions({ payments: { provider: 'manual' } })).toBeUndefined()
  })
})
