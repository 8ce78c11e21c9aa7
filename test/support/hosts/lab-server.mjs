import { createSocket } from 'node:dgram'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:tls'

// What hosts that reach no other network send their logs to, by TLS on port 6514, and take their time from: every request gets the time of
// this computer (RFC 5905, section 7.3), as from stratum 1.
const [address = '', key = '', certificate = ''] = process.argv.slice(2)
createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (socket) => {
  socket.resume()
  socket.on('error', () => socket.destroy())
}).listen(6514, address)

const EPOCH = 2_208_988_800
const clock = createSocket('udp4')
clock.on('message', (request, { address: to, port }) => {
  const response = Buffer.alloc(48)
  response.writeUInt8((4 << 3) | 4, 0)
  response.writeUInt8(1, 1)
  response.writeInt8(6, 2)
  response.writeInt8(-20, 3)
  response.writeUInt32BE(16, 4)
  response.writeUInt32BE(16, 8)
  response.write('LOCL', 12)
  writeTime(response, 16)
  request.copy(response, 24, 40, 48)
  writeTime(response, 32)
  writeTime(response, 40)
  clock.send(response, port, to)
})
clock.bind(123, address)

function writeTime(response, at) {
  const now = performance.timeOrigin + performance.now()
  response.writeUInt32BE(Math.floor(now / 1000) + EPOCH, at)
  response.writeUInt32BE(Math.floor(((now % 1000) / 1000) * 2 ** 32), at + 4)
}
