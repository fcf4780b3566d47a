import { type Mailing, mailingRows } from '../operations/mailings.ts'
import { row, type StyledLine, span } from '../render/row.ts'
import { followEvents } from './live.ts'
import type { OpenScreen } from './screen.ts'
import { scrollingScreen } from './scroll.ts'

/**
 * One mailing: to whom it goes, and how far it is.
 * @param changed called after an action on it
 */
export const mailingScreen =
  (mailingId: string, changed: () => void): OpenScreen =>
  (shell) => {
    let mailing: Mailing | undefined
    const stop = new AbortController()
    const refresh = () =>
      void shell.attempt(async () => {
        mailing = await shell.client.call('dashboard', 'GET /mailings/:mailingId', {
          params: { mailingId },
          signal: stop.signal,
        })
        shell.changed()
      })
    const act = async (name: 'mailing pause' | 'mailing resume' | 'mailing cancel') => {
      if (await shell.run({ name, input: { id: mailingId } })) {
        refresh()
        changed()
      }
    }
    refresh()
    followEvents(shell, stop.signal, refresh)
    const draw = (): StyledLine[] => (mailing ? mailingRows(mailing) : [row(span('Loading …', 'dim'))])
    return scrollingScreen(draw, {
      name: 'a mailing',
      title: () => row(span(mailing?.subject ?? 'mailing', 'strong')),
      bindings: () => [
        {
          key: 's',
          label: 'pause',
          help: 'stop it where it is',
          needs: 'mailing pause',
          run: () => act('mailing pause'),
        },
        {
          key: 't',
          label: 'resume',
          help: 'go on with it',
          needs: 'mailing resume',
          run: () => act('mailing resume'),
        },
        {
          key: 'x',
          label: 'cancel',
          help: 'end it: who has not got it does not get it',
          needs: 'mailing cancel',
          run: () => act('mailing cancel'),
        },
        {
          key: 'o',
          label: 'text',
          help: 'open its activity',
          run: () => {
            if (mailing) shell.openWork('activity', mailing.activityId)
          },
        },
      ],
      refresh,
      close: () => stop.abort(),
    })
  }
