import type {
  SealerAnswer,
  SealerAsk,
  SealerHeadAnswer,
  SealerRefusal,
  SealingRequest,
  TeamSealer,
} from '../../../../schemas/types.ts'
import { fail, type Outcome, ok } from '../../../core/base/failure.ts'
import { readHeadStatement } from '../../../core/team/audit-head.ts'
import { referencesIn } from '../../audit.ts'
import { holderOf, SEALER_VERBS } from '../../program-access.ts'
import type { Wanted } from '../../routes.ts'
import { type Exchange, headerOf, type Sent } from '../services/http.ts'
import { auditEvent, type ServerParts } from '../services/parts.ts'
import type { SealerDesk } from '../services/sealers.ts'
import { answerProgram, inputOf, isEncoded, unknownToken } from './programs.ts'

type OfSealer = Extract<Wanted, { readonly kind: 'sealer' }>

/** A sealer that presented its token, and the requests of its engagement. */
interface Known {
  readonly sealer: TeamSealer
  readonly desk: SealerDesk
}

/** Answers a request of a sealer. All requests without a known token are answered in the same way. */
export async function fromSealer(parts: ServerParts, exchange: Exchange, wanted: OfSealer): Promise<Sent> {
  const sealer = holderOf(headerOf(exchange, 'authorization'), parts.settings().config.sealers)
  const desk = sealer === null ? undefined : parts.engagements.get(sealer.engagement)?.sealers
  if (sealer === null || desk == null)
    return await unknownToken(parts, exchange, 'sealer-refused', 'no sealer has this token')
  const how = { name: sealer.name, verb: wanted.verb, limit: parts.sealerCalls } as const
  return await answerProgram(parts, exchange, { ...how, counter: 'barewitness_sealer_requests_total' }, () =>
    answered(parts, exchange, wanted, { sealer, desk }),
  )
}

async function answered(
  parts: ServerParts,
  exchange: Exchange,
  { verb, request: id }: OfSealer,
  { sealer, desk }: Known,
): Promise<Outcome<unknown>> {
  if (isEncoded(exchange)) return fail('input.refused', 'encoded bodies are not read')
  const input = await inputOf(parts, exchange, SEALER_VERBS[verb].input)
  if (!input.ok) return input
  switch (verb) {
    case 'ask': {
      const gone = new AbortController()
      exchange.response.once('close', () => gone.abort())
      return await desk.ask(sealer, input.value as SealerAsk, gone.signal)
    }
    case 'answer':
      return await desk.answer(sealer, id, input.value as SealerAnswer, (request) =>
        note(parts, sealer, 'signature', request),
      )
    case 'refuse':
      return await desk.refuse(sealer, id, (input.value as SealerRefusal).reason, (request) =>
        note(parts, sealer, 'signature-refused', request),
      )
    case 'head':
      return ok(parts.audit.unsignedHead())
    case 'sign-head':
      return await signedHead(parts, sealer, input.value as SealerHeadAnswer)
  }
}

/**
 * Enters a signed head into the log. Fails with input.refused for a statement about another server or about a head that was not offered, and for
 * a signature by another certificate than that of the sealer.
 */
async function signedHead(
  parts: ServerParts,
  { name, certificate, engagement }: TeamSealer,
  { statement: text, cms }: SealerHeadAnswer,
): Promise<Outcome<null>> {
  const statement = readHeadStatement(text)
  if (statement === null || statement.server !== parts.settings().origin)
    return fail('input.refused', 'the statement is not about the audit log of this server')
  if (!parts.audit.wasOffered(statement))
    return fail('input.refused', 'the statement is about a head that was not asked for, or that was signed')
  if (parts.sealing.signing.textSigner(text, Buffer.from(cms, 'base64')) !== certificate)
    return fail('input.refused', 'the signature does not verify with the certificate of the sealer')
  await parts.audit.append(
    auditEvent(parts, null, {
      kind: 'head-signed',
      subject: name,
      role: 'sealer',
      engagement,
      of: { statement: text, cms },
    }),
  )
  return ok(null)
}

const note = (
  parts: ServerParts,
  { name, engagement }: TeamSealer,
  kind: 'signature' | 'signature-refused',
  { order, digest, content }: SealingRequest,
): Promise<void> =>
  parts.audit.append(
    auditEvent(parts, null, {
      ...{ kind, subject: name, role: 'sealer', engagement },
      of: { ...(content === undefined ? {} : referencesIn(JSON.parse(content))), order, digest },
    }),
  )
