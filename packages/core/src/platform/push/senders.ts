import type { Clock } from '../clock.ts'
import type { HttpClient } from '../http/client.ts'
import { createApnsSender, type IosPushOptions } from './apns.ts'
import { type AndroidPushOptions, createFcmSender } from './fcm.ts'
import { type Push, PushError, type PushPlatform, type PushSender, pushPlatforms } from './push.ts'

/** How notifications reach devices; a platform that is left out is told nothing. */
export interface PushOptions {
  android?: AndroidPushOptions
  ios?: IosPushOptions
}

/** The senders that the options describe. @throws TypeError when one of them cannot be used */
export function createPush(parts: { options: PushOptions; http: HttpClient; clock: Clock }): Push {
  const { options, http, clock } = parts
  const senders: Partial<Record<PushPlatform, PushSender>> = {
    ...(options.ios && { ios: createApnsSender({ options: options.ios, clock }) }),
    ...(options.android && { android: createFcmSender({ options: options.android, http, clock }) }),
  }
  const senderOf = (platform: PushPlatform): PushSender => {
    const sender = senders[platform]
    if (!sender) throw new PushError('refused', `No push service is set up for ${platform}`)
    return sender
  }
  return {
    platforms: pushPlatforms.filter((platform) => senders[platform]),
    send: async (message, signal) => senderOf(message.platform).send(message, signal),
    check: async (platform) => senderOf(platform).check(),
    close: async () => void (await Promise.all(Object.values(senders).map((sender) => sender.close()))),
  }
}
