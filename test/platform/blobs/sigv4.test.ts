import { describe, expect, it } from 'vitest'
import { type SignedRequest, verifySignature } from '../../kit/sigv4.ts'

/** The key of the examples in "Authenticating Requests (AWS Signature Version 4)" of the Amazon S3 API Reference. */
const credential = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
  service: 's3',
}
const now = Date.parse('2013-05-24T00:00:00Z')
const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
const host = 'examplebucket.s3.amazonaws.com'
const scope = 'AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request'
const signedBy = (headers: string, signature: string) =>
  `AWS4-HMAC-SHA256 Credential=${scope},SignedHeaders=${headers},Signature=${signature}`
const usual = 'host;x-amz-content-sha256;x-amz-date'
const common = { host, 'x-amz-content-sha256': empty, 'x-amz-date': '20130524T000000Z' }

/** As they are published, with the signatures that AWS gives for them. */
const examples: Record<string, SignedRequest> = {
  'GET of a part of an object': {
    method: 'GET',
    path: '/test.txt',
    query: '',
    headers: {
      ...common,
      range: 'bytes=0-9',
      authorization: signedBy(
        'host;range;x-amz-content-sha256;x-amz-date',
        'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
      ),
    },
  },
  'PUT of an object with a "$" in its name': {
    method: 'PUT',
    path: '/test%24file.text',
    query: '',
    headers: {
      ...common,
      date: 'Fri, 24 May 2013 00:00:00 GMT',
      'x-amz-content-sha256': '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072',
      'x-amz-storage-class': 'REDUCED_REDUNDANCY',
      authorization: signedBy(
        'date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class',
        '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
      ),
    },
  },
  'GET of a setting, a parameter without value': {
    method: 'GET',
    path: '/',
    query: 'lifecycle',
    headers: {
      ...common,
      authorization: signedBy(usual, 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543'),
    },
  },
  'GET of a list, with parameters': {
    method: 'GET',
    path: '/',
    query: 'max-keys=2&prefix=J',
    headers: {
      ...common,
      authorization: signedBy(usual, '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7'),
    },
  },
  'a URL that is signed in its query': {
    method: 'GET',
    path: '/test.txt',
    query: [
      'X-Amz-Algorithm=AWS4-HMAC-SHA256',
      `X-Amz-Credential=${encodeURIComponent(scope)}`,
      'X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host',
      'X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
    ].join('&'),
    headers: { host },
  },
}

describe('verifySignature', () => {
  it.each(Object.entries(examples))('accepts %s of the published examples', (_, request) => {
    expect(verifySignature(request, credential, now)).toHaveProperty('bodyHash')
  })

  it.each(Object.entries(examples))('rejects %s once anything about it is changed', (_, request) => {
    const ask = (changed: Partial<SignedRequest>, by = credential, at = now) =>
      verifySignature({ ...request, ...changed }, by, at)
    expect(ask({ method: 'DELETE' })).toEqual({ fault: 'SignatureDoesNotMatch' })
    expect(ask({ path: '/other.txt' })).toEqual({ fault: 'SignatureDoesNotMatch' })
    expect(ask({ query: `${request.query}${request.query ? '&' : ''}versionId=1` })).toEqual({
      fault: 'SignatureDoesNotMatch',
    })
    expect(ask({ headers: { ...request.headers, host: 'other.example' } })).toEqual({
      fault: 'SignatureDoesNotMatch',
    })
    expect(ask({}, { ...credential, secretAccessKey: 'other' })).toEqual({ fault: 'SignatureDoesNotMatch' })
    expect(ask({}, { ...credential, accessKeyId: 'OTHER' })).toEqual({ fault: 'InvalidAccessKeyId' })
    expect(ask({}, { ...credential, region: 'eu-west-1' })).toEqual({ fault: 'AuthorizationHeaderMalformed' })
    expect(ask({}, credential, now + 2 * 86_400_000)).toHaveProperty('fault')
    expect(ask({ headers: { ...request.headers, 'x-amz-acl': 'public-read' } })).toEqual({
      fault: 'AccessDenied',
    })
  })

  it('rejects another hash of the body than the signed one', () => {
    for (const request of Object.values(examples).filter(({ headers }) => 'x-amz-date' in headers)) {
      const headers = { ...request.headers, 'x-amz-content-sha256': 'f'.repeat(64) }
      expect(verifySignature({ ...request, headers }, credential, now)).toEqual({
        fault: 'SignatureDoesNotMatch',
      })
    }
  })

  it('rejects a request without a signature', () => {
    const bare = { method: 'GET', path: '/test.txt', query: '', headers: { host } }
    expect(verifySignature(bare, credential, now)).toEqual({ fault: 'AccessDenied' })
  })
})
