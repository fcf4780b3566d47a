import { createSign } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What topics of the tests sign with; made for nothing else. */
const key = `-----BEGIN PRIVATE KEY-----
MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDNNfiRfytoUlG8
M0Dh1+zbLjblOenJA2H6+G9wLzYh4bCac3Rqtwshe8bZBNBhsNt+M32VbZ+X741l
vlX6SUQ24XlBAsssI2GuRmCNX7RysN2XErw10dArfEs9hTJEDO74CRIBijLtxsSQ
IZTSvd0LtYy/kfmscHvXbrp7Uqv+9LAPooC0nCsIaSJHgYl9qbi2ie3dbaY7XPEd
KJogplm5USj9IlOK0k8r9iFl8y6I84ot6sO6PR31rKXGp36xc20NVpZtm4lkFIuK
jabluMwOBx6pTX/RiNFjlH9hui07UgL2tBStfmXjxWQqSx78UsTBmQcdmO7QOJkO
rmZUJVYBAgMBAAECggEAKw0YkcWhIKisdxQ1l2vKSA1A/QQSVNZ91r4J+vocnC0R
9MUl9kFid2rVQ7Ar22LUGXzJ6vBtm91ox6CPvwth4TWaT5Y7c44UrxAar24VmD4c
rtYCYDQdPRI9YrGv4vDnrWeRvHr2xkV99VLmOvQUDKHQ3lvMim2qvX6AZuDoLntc
qBVOTMO9IAjSVfLnQPs9l1btfIgTnP9lYv/eMNjCP6oLl5ab8mov+iYYSd80n3DB
tj+Ss8jZ/zJFXuxZB/NbZfvzsNi4ksn6TFMUmSfVIz/TY2twQ+7kkdn1wTJpbwr4
PFn0XoJltLKwMmyppIou9gCRBn4TnbJKn1Mp9bHz8QKBgQDyDnS98vLjJPvALWO5
BEoYxgLXXX/LGbSXF97Tt3mGac+CpI23BSy8m2XN86IKqbsW/0NWP4H8UcA0Tz+a
4uFyIy1w4OzXkP5W1XHIgbfM3PQ790qKhjpNpVboY0sLcu5R7u6xkg0Dff8O0KfV
giu2MAoW3Rxga4lrh0JvAN827QKBgQDZCClqT/g6zZZp7S7dtvnzkVW/1fpnIWDO
6CAQUSzqsFdXZ/AZDI+5eShdbV+isjqIULjzFigUENfImix5zOMi3akWamVrPzzD
7F1WIOQcy5RREUDyz5OyCTrvP2A+Qx80JKV6fBUoZVuW7RHniN2AG2hW9McR0G/w
obKowOOE5QKBgGBgXR8cUpUaLpqv99q82HvQq2Twt2c4juzx9ii6Dsrz6kmMF1jd
2JgoD3rXHJe+SN25OShoFOtP6YVqYFrdJwJ4+yjMhcC23G3agnlhHLuW5i/SIH3T
P/eWc2oHzuN6GWXKCoPtMP1I93sAnTKnp5vcuMetthS1/Hsx2cO0xytpAoGAejAX
KQyG44xVj6OCTD808AU18sAkryVinHqheq5JDIRlWAdjbKbez/w/VoI6Yp3XSGGy
DuG9hLaK1hy+x4ArrLiA9ubF3KCItIGBdvkjlHalNRLyrwFg1M5PiNz0cXlWuwOa
yp/LRafy7cDg4Kr0kahckQBUh1oDe8V9kXavYWUCgYEAh63v52KFeVDEz3nLVhRB
UmsfSmPA01X3Art+/V81aeZo9ShpGSvGAxvYQ9SYiTagySwQKyt2WT7bz8J4eXu8
aYNY3t4HthrgINDm4eJhVKbJm7GeqNax9/21HRwMVu8VzdkxyMR6vEBeZ+bNiwkY
yynzEWaQelwbmBVKyxqhA1c=
-----END PRIVATE KEY-----`
const certificate = `-----BEGIN CERTIFICATE-----
MIIDGzCCAgOgAwIBAgIUGYNtlW87nTFoQZxv9T8MfXLE9N0wDQYJKoZIhvcNAQEL
BQAwHDEaMBgGA1UEAwwRc25zLmFtYXpvbmF3cy5jb20wIBcNMjYxMTI1MTg1MjU2
WhgPMjEyNjExMDExODUyNTZaMBwxGjAYBgNVBAMMEXNucy5hbWF6b25hd3MuY29t
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAzTX4kX8raFJRvDNA4dfs
2y425TnpyQNh+vhvcC82IeGwmnN0arcLIXvG2QTQYbDbfjN9lW2fl++NZb5V+klE
NuF5QQLLLCNhrkZgjV+0crDdlxK8NdHQK3xLPYUyRAzu+AkSAYoy7cbEkCGU0r3d
C7WMv5H5rHB71266e1Kr/vSwD6KAtJwrCGkiR4GJfam4tont3W2mO1zxHSiaIKZZ
uVEo/SJTitJPK/YhZfMuiPOKLerDuj0d9aylxqd+sXNtDVaWbZuJZBSLio2m5bjM
DgceqU1/0YjRY5R/YbotO1IC9rQUrX5l48VkKkse/FLEwZkHHZju0DiZDq5mVCVW
AQIDAQABo1MwUTAdBgNVHQ4EFgQUbvJ17/SaZaopuPdJ1rfP5dK4tOQwHwYDVR0j
BBgwFoAUbvJ17/SaZaopuPdJ1rfP5dK4tOQwDwYDVR0TAQH/BAUwAwEB/zANBgkq
hkiG9w0BAQsFAAOCAQEAodqwPk1Doo7/lzuHfJ1Zl3RsAFrCAIqRb7v4R+7JE2Gm
SvkdoMUGuM/+e5kRxLw+czIm5shfzcGNmP6sE6bunMzdTOkZn0FwvPKdLVjtDzyG
ewNhz41br94QXiHPAsX4keuzfwi2I5DMW8i/OVDXguGCtvNPU57+7pygB+qEhNOw
RIQjbmgA3IMppCTWX8UOeZejZcikM3mTdJsttPDbhwnnJocYl7a3y5npUs0MBECk
ek1f9KFEMd41qRPRw8gvtY7z2c3f8ZErpuvWGiGG7GnGsLzZKxk52rKliF6NcoXG
byUbNAydCo1pKOI1AWs0hKS1VD+XafPdaH3UAHOyaw==
-----END CERTIFICATE-----`

export const topicArn = 'arn:aws:sns:eu-west-1:123456789012:bounces'

type Fields = Record<string, string>

/** A message of a topic of Amazon SNS, signed as it does. */
export function topicMessage(fields: Fields & { Type: string; SigningCertURL: string }): Fields {
  const { Type } = fields
  const version = fields['SignatureVersion'] ?? '2'
  const message: Fields = {
    MessageId: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
    TopicArn: topicArn,
    Timestamp: new Date().toISOString(),
    Message: '{}',
    SignatureVersion: version,
    ...fields,
  }
  const names =
    Type === 'Notification'
      ? ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type']
      : ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type']
  const text = names.flatMap((name) => (name in message ? [`${name}\n${message[name]}\n`] : [])).join('')
  const sign = createSign(version === '1' ? 'sha1' : 'sha256').update(text)
  return { Signature: sign.sign(key, 'base64'), ...message }
}

/** A service with the interface of Amazon SNS: its certificate, and what subscriptions are confirmed. */
export async function createTopicServer() {
  const asked: string[] = []
  const server = createServer((req, res) => {
    asked.push(req.url ?? '')
    res.end(req.url === '/SimpleNotificationService-1.pem' ? certificate : '<ConfirmSubscriptionResponse/>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    asked,
    certificateUrl: `${url}/SimpleNotificationService-1.pem`,
    [Symbol.dispose]: () => void server.close(),
  }
}
