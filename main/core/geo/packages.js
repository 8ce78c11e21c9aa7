// Written by `npm run geometry`; see test/support/write-geometry.ts. `Math` is not the engine's.
import { portableMath as Math } from '../base/elementary.ts'
/*
d3-geo 3.1.2

Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.

This license applies to GeographicLib, versions 1.12 and later.

Copyright 2008-2012 Charles Karney

Permission is hereby granted, free of charge, to any person obtaining a copy of
this software and associated documentation files (the "Software"), to deal in
the Software without restriction, including without limitation the rights to
use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of
the Software, and to permit persons to whom the Software is furnished to do so,
subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS
FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT.  IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER
IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN
CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.

d3-array 3.2.5

Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.

geographiclib-geodesic 2.2.0

The MIT License (MIT).

Copyright (c) 2011-2022, Charles Karney

Permission is hereby granted, free of charge, to any person
obtaining a copy of this software and associated documentation
files (the "Software"), to deal in the Software without
restriction, including without limitation the rights to use, copy,
modify, merge, publish, distribute, sublicense, and/or sell copies
of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be
included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND,
EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
NONINFRINGEMENT.  IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT
HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY,
WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER
DEALINGS IN THE SOFTWARE.
*/
function ascending(a, b) {
	return a == null || b == null ? NaN : a < b ? -1 : a > b ? 1 : a >= b ? 0 : NaN;
}
function descending(a, b) {
	return a == null || b == null ? NaN : b < a ? -1 : b > a ? 1 : b >= a ? 0 : NaN;
}
function bisector(f) {
	let compare1, compare2, delta;
	if (f.length !== 2) {
		compare1 = ascending;
		compare2 = (d, x) => ascending(f(d), x);
		delta = (d, x) => f(d) - x;
	} else {
		compare1 = f === ascending || f === descending ? f : zero;
		compare2 = f;
		delta = f;
	}
	function left(a, x, lo = 0, hi = a.length) {
		if (lo < hi) {
			if (compare1(x, x) !== 0) return hi;
			do {
				const mid = lo + hi >>> 1;
				if (compare2(a[mid], x) < 0) lo = mid + 1;
				else hi = mid;
			} while (lo < hi);
		}
		return lo;
	}
	function right(a, x, lo = 0, hi = a.length) {
		if (lo < hi) {
			if (compare1(x, x) !== 0) return hi;
			do {
				const mid = lo + hi >>> 1;
				if (compare2(a[mid], x) <= 0) lo = mid + 1;
				else hi = mid;
			} while (lo < hi);
		}
		return lo;
	}
	function center(a, x, lo = 0, hi = a.length) {
		const i = left(a, x, lo, hi - 1);
		return i > lo && delta(a[i - 1], x) > -delta(a[i], x) ? i - 1 : i;
	}
	return {
		left,
		center,
		right
	};
}
function zero() {
	return 0;
}
function number(x) {
	return x === null ? NaN : +x;
}
var ascendingBisect = bisector(ascending);
ascendingBisect.right;
ascendingBisect.left;
bisector(number).center;
var Adder = class {
	constructor() {
		this._partials = new Float64Array(32);
		this._n = 0;
	}
	add(x) {
		const p = this._partials;
		let i = 0;
		for (let j = 0; j < this._n && j < 32; j++) {
			const y = p[j], hi = x + y, lo = Math.abs(x) < Math.abs(y) ? x - (hi - y) : y - (hi - x);
			if (lo) p[i++] = lo;
			x = hi;
		}
		p[i] = x;
		this._n = i + 1;
		return this;
	}
	valueOf() {
		const p = this._partials;
		let n = this._n, x, y, lo, hi = 0;
		if (n > 0) {
			hi = p[--n];
			while (n > 0) {
				x = hi;
				y = p[--n];
				hi = x + y;
				lo = y - (hi - x);
				if (lo) break;
			}
			if (n > 0 && (lo < 0 && p[n - 1] < 0 || lo > 0 && p[n - 1] > 0)) {
				y = lo * 2;
				x = hi + y;
				if (y == x - hi) hi = x;
			}
		}
		return hi;
	}
};
Array.prototype.slice;
function* flatten(arrays) {
	for (const array of arrays) yield* array;
}
function merge(arrays) {
	return Array.from(flatten(arrays));
}
var epsilon = 1e-6;
var epsilon2 = 1e-12;
var pi = Math.PI;
var halfPi = pi / 2;
var quarterPi = pi / 4;
var tau = pi * 2;
var degrees = 180 / pi;
var radians = pi / 180;
var abs = Math.abs;
var atan = Math.atan;
var atan2 = Math.atan2;
var cos = Math.cos;
var exp = Math.exp;
var log = Math.log;
var sin = Math.sin;
var sign = Math.sign || function(x) {
	return x > 0 ? 1 : x < 0 ? -1 : 0;
};
var sqrt = Math.sqrt;
var tan = Math.tan;
function acos(x) {
	return x > 1 ? 0 : x < -1 ? pi : Math.acos(x);
}
function asin(x) {
	return x > 1 ? halfPi : x < -1 ? -halfPi : Math.asin(x);
}
function haversin(x) {
	return (x = sin(x / 2)) * x;
}
function noop() {}
function streamGeometry(geometry, stream) {
	if (geometry && streamGeometryType.hasOwnProperty(geometry.type)) streamGeometryType[geometry.type](geometry, stream);
}
var streamObjectType = {
	Feature: function(object, stream) {
		streamGeometry(object.geometry, stream);
	},
	FeatureCollection: function(object, stream) {
		var features = object.features, i = -1, n = features.length;
		while (++i < n) streamGeometry(features[i].geometry, stream);
	}
};
var streamGeometryType = {
	Sphere: function(object, stream) {
		stream.sphere();
	},
	Point: function(object, stream) {
		object = object.coordinates;
		stream.point(object[0], object[1], object[2]);
	},
	MultiPoint: function(object, stream) {
		var coordinates = object.coordinates, i = -1, n = coordinates.length;
		while (++i < n) object = coordinates[i], stream.point(object[0], object[1], object[2]);
	},
	LineString: function(object, stream) {
		streamLine(object.coordinates, stream, 0);
	},
	MultiLineString: function(object, stream) {
		var coordinates = object.coordinates, i = -1, n = coordinates.length;
		while (++i < n) streamLine(coordinates[i], stream, 0);
	},
	Polygon: function(object, stream) {
		streamPolygon(object.coordinates, stream);
	},
	MultiPolygon: function(object, stream) {
		var coordinates = object.coordinates, i = -1, n = coordinates.length;
		while (++i < n) streamPolygon(coordinates[i], stream);
	},
	GeometryCollection: function(object, stream) {
		var geometries = object.geometries, i = -1, n = geometries.length;
		while (++i < n) streamGeometry(geometries[i], stream);
	}
};
function streamLine(coordinates, stream, closed) {
	var i = -1, n = coordinates.length - closed, coordinate;
	stream.lineStart();
	while (++i < n) coordinate = coordinates[i], stream.point(coordinate[0], coordinate[1], coordinate[2]);
	stream.lineEnd();
}
function streamPolygon(coordinates, stream) {
	var i = -1, n = coordinates.length;
	stream.polygonStart();
	while (++i < n) streamLine(coordinates[i], stream, 1);
	stream.polygonEnd();
}
function geoStream(object, stream) {
	if (object && streamObjectType.hasOwnProperty(object.type)) streamObjectType[object.type](object, stream);
	else streamGeometry(object, stream);
}
var areaRingSum$1 = new Adder();
var areaSum$1 = new Adder();
var lambda00$2;
var phi00$2;
var lambda0$2;
var cosPhi0$1;
var sinPhi0$1;
var areaStream$1 = {
	point: noop,
	lineStart: noop,
	lineEnd: noop,
	polygonStart: function() {
		areaRingSum$1 = new Adder();
		areaStream$1.lineStart = areaRingStart$1;
		areaStream$1.lineEnd = areaRingEnd$1;
	},
	polygonEnd: function() {
		var areaRing = +areaRingSum$1;
		areaSum$1.add(areaRing < 0 ? tau + areaRing : areaRing);
		this.lineStart = this.lineEnd = this.point = noop;
	},
	sphere: function() {
		areaSum$1.add(tau);
	}
};
function areaRingStart$1() {
	areaStream$1.point = areaPointFirst$1;
}
function areaRingEnd$1() {
	areaPoint$1(lambda00$2, phi00$2);
}
function areaPointFirst$1(lambda, phi) {
	areaStream$1.point = areaPoint$1;
	lambda00$2 = lambda, phi00$2 = phi;
	lambda *= radians, phi *= radians;
	lambda0$2 = lambda, cosPhi0$1 = cos(phi = phi / 2 + quarterPi), sinPhi0$1 = sin(phi);
}
function areaPoint$1(lambda, phi) {
	lambda *= radians, phi *= radians;
	phi = phi / 2 + quarterPi;
	var dLambda = lambda - lambda0$2, sdLambda = dLambda >= 0 ? 1 : -1, adLambda = sdLambda * dLambda, cosPhi = cos(phi), sinPhi = sin(phi), k = sinPhi0$1 * sinPhi, u = cosPhi0$1 * cosPhi + k * cos(adLambda), v = k * sdLambda * sin(adLambda);
	areaRingSum$1.add(atan2(v, u));
	lambda0$2 = lambda, cosPhi0$1 = cosPhi, sinPhi0$1 = sinPhi;
}
function area(object) {
	areaSum$1 = new Adder();
	geoStream(object, areaStream$1);
	return areaSum$1 * 2;
}
function spherical(cartesian) {
	return [atan2(cartesian[1], cartesian[0]), asin(cartesian[2])];
}
function cartesian(spherical) {
	var lambda = spherical[0], phi = spherical[1], cosPhi = cos(phi);
	return [
		cosPhi * cos(lambda),
		cosPhi * sin(lambda),
		sin(phi)
	];
}
function cartesianDot(a, b) {
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
function cartesianCross(a, b) {
	return [
		a[1] * b[2] - a[2] * b[1],
		a[2] * b[0] - a[0] * b[2],
		a[0] * b[1] - a[1] * b[0]
	];
}
function cartesianAddInPlace(a, b) {
	a[0] += b[0], a[1] += b[1], a[2] += b[2];
}
function cartesianScale(vector, k) {
	return [
		vector[0] * k,
		vector[1] * k,
		vector[2] * k
	];
}
function cartesianNormalizeInPlace(d) {
	var l = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
	d[0] /= l, d[1] /= l, d[2] /= l;
}
function constant(x) {
	return function() {
		return x;
	};
}
function compose(a, b) {
	function compose(x, y) {
		return x = a(x, y), b(x[0], x[1]);
	}
	if (a.invert && b.invert) compose.invert = function(x, y) {
		return x = b.invert(x, y), x && a.invert(x[0], x[1]);
	};
	return compose;
}
function rotationIdentity(lambda, phi) {
	if (abs(lambda) > pi) lambda -= Math.round(lambda / tau) * tau;
	return [lambda, phi];
}
rotationIdentity.invert = rotationIdentity;
function rotateRadians(deltaLambda, deltaPhi, deltaGamma) {
	return (deltaLambda %= tau) ? deltaPhi || deltaGamma ? compose(rotationLambda(deltaLambda), rotationPhiGamma(deltaPhi, deltaGamma)) : rotationLambda(deltaLambda) : deltaPhi || deltaGamma ? rotationPhiGamma(deltaPhi, deltaGamma) : rotationIdentity;
}
function forwardRotationLambda(deltaLambda) {
	return function(lambda, phi) {
		lambda += deltaLambda;
		if (abs(lambda) > pi) lambda -= Math.round(lambda / tau) * tau;
		return [lambda, phi];
	};
}
function rotationLambda(deltaLambda) {
	var rotation = forwardRotationLambda(deltaLambda);
	rotation.invert = forwardRotationLambda(-deltaLambda);
	return rotation;
}
function rotationPhiGamma(deltaPhi, deltaGamma) {
	var cosDeltaPhi = cos(deltaPhi), sinDeltaPhi = sin(deltaPhi), cosDeltaGamma = cos(deltaGamma), sinDeltaGamma = sin(deltaGamma);
	function rotation(lambda, phi) {
		var cosPhi = cos(phi), x = cos(lambda) * cosPhi, y = sin(lambda) * cosPhi, z = sin(phi), k = z * cosDeltaPhi + x * sinDeltaPhi;
		return [atan2(y * cosDeltaGamma - k * sinDeltaGamma, x * cosDeltaPhi - z * sinDeltaPhi), asin(k * cosDeltaGamma + y * sinDeltaGamma)];
	}
	rotation.invert = function(lambda, phi) {
		var cosPhi = cos(phi), x = cos(lambda) * cosPhi, y = sin(lambda) * cosPhi, z = sin(phi), k = z * cosDeltaGamma - y * sinDeltaGamma;
		return [atan2(y * cosDeltaGamma + z * sinDeltaGamma, x * cosDeltaPhi + k * sinDeltaPhi), asin(k * cosDeltaPhi - x * sinDeltaPhi)];
	};
	return rotation;
}
function circleStream(stream, radius, delta, direction, t0, t1) {
	if (!delta) return;
	var cosRadius = cos(radius), sinRadius = sin(radius), step = direction * delta;
	if (t0 == null) {
		t0 = radius + direction * tau;
		t1 = radius - step / 2;
	} else {
		t0 = circleRadius(cosRadius, t0);
		t1 = circleRadius(cosRadius, t1);
		if (direction > 0 ? t0 < t1 : t0 > t1) t0 += direction * tau;
	}
	for (var point, t = t0; direction > 0 ? t > t1 : t < t1; t -= step) {
		point = spherical([
			cosRadius,
			-sinRadius * cos(t),
			-sinRadius * sin(t)
		]);
		stream.point(point[0], point[1]);
	}
}
function circleRadius(cosRadius, point) {
	point = cartesian(point), point[0] -= cosRadius;
	cartesianNormalizeInPlace(point);
	var radius = acos(-point[1]);
	return ((-point[2] < 0 ? -radius : radius) + tau - epsilon) % tau;
}
function circle() {
	var center = constant([0, 0]), radius = constant(90), precision = constant(2), ring, rotate, stream = { point };
	function point(x, y) {
		ring.push(x = rotate(x, y));
		x[0] *= degrees, x[1] *= degrees;
	}
	function circle() {
		var c = center.apply(this, arguments), r = radius.apply(this, arguments) * radians, p = precision.apply(this, arguments) * radians;
		ring = [];
		rotate = rotateRadians(-c[0] * radians, -c[1] * radians, 0).invert;
		circleStream(stream, r, p, 1);
		c = {
			type: "Polygon",
			coordinates: [ring]
		};
		ring = rotate = null;
		return c;
	}
	circle.center = function(_) {
		return arguments.length ? (center = typeof _ === "function" ? _ : constant([+_[0], +_[1]]), circle) : center;
	};
	circle.radius = function(_) {
		return arguments.length ? (radius = typeof _ === "function" ? _ : constant(+_), circle) : radius;
	};
	circle.precision = function(_) {
		return arguments.length ? (precision = typeof _ === "function" ? _ : constant(+_), circle) : precision;
	};
	return circle;
}
function clipBuffer() {
	var lines = [], line;
	return {
		point: function(x, y, m) {
			line.push([
				x,
				y,
				m
			]);
		},
		lineStart: function() {
			lines.push(line = []);
		},
		lineEnd: noop,
		rejoin: function() {
			if (lines.length > 1) lines.push(lines.pop().concat(lines.shift()));
		},
		result: function() {
			var result = lines;
			lines = [];
			line = null;
			return result;
		}
	};
}
function pointEqual(a, b) {
	return abs(a[0] - b[0]) < epsilon && abs(a[1] - b[1]) < epsilon;
}
function Intersection(point, points, other, entry) {
	this.x = point;
	this.z = points;
	this.o = other;
	this.e = entry;
	this.v = false;
	this.n = this.p = null;
}
function clipRejoin(segments, compareIntersection, startInside, interpolate, stream) {
	var subject = [], clip = [], i, n;
	segments.forEach(function(segment) {
		if ((n = segment.length - 1) <= 0) return;
		var n, p0 = segment[0], p1 = segment[n], x;
		if (pointEqual(p0, p1)) {
			if (!p0[2] && !p1[2]) {
				stream.lineStart();
				for (i = 0; i < n; ++i) stream.point((p0 = segment[i])[0], p0[1]);
				stream.lineEnd();
				return;
			}
			p1[0] += 2 * epsilon;
		}
		subject.push(x = new Intersection(p0, segment, null, true));
		clip.push(x.o = new Intersection(p0, null, x, false));
		subject.push(x = new Intersection(p1, segment, null, false));
		clip.push(x.o = new Intersection(p1, null, x, true));
	});
	if (!subject.length) return;
	clip.sort(compareIntersection);
	link(subject);
	link(clip);
	for (i = 0, n = clip.length; i < n; ++i) clip[i].e = startInside = !startInside;
	var start = subject[0], points, point;
	while (1) {
		var current = start, isSubject = true;
		while (current.v) if ((current = current.n) === start) return;
		points = current.z;
		stream.lineStart();
		do {
			current.v = current.o.v = true;
			if (current.e) {
				if (isSubject) for (i = 0, n = points.length; i < n; ++i) stream.point((point = points[i])[0], point[1]);
				else interpolate(current.x, current.n.x, 1, stream);
				current = current.n;
			} else {
				if (isSubject) {
					points = current.p.z;
					for (i = points.length - 1; i >= 0; --i) stream.point((point = points[i])[0], point[1]);
				} else interpolate(current.x, current.p.x, -1, stream);
				current = current.p;
			}
			current = current.o;
			points = current.z;
			isSubject = !isSubject;
		} while (!current.v);
		stream.lineEnd();
	}
}
function link(array) {
	if (!(n = array.length)) return;
	var n, i = 0, a = array[0], b;
	while (++i < n) {
		a.n = b = array[i];
		b.p = a;
		a = b;
	}
	a.n = b = array[0];
	b.p = a;
}
function longitude(point) {
	return abs(point[0]) <= pi ? point[0] : sign(point[0]) * ((abs(point[0]) + pi) % tau - pi);
}
function polygonContains(polygon, point) {
	var lambda = longitude(point), phi = point[1], sinPhi = sin(phi), normal = [
		sin(lambda),
		-cos(lambda),
		0
	], angle = 0, winding = 0;
	var sum = new Adder();
	if (sinPhi === 1) phi = halfPi + epsilon;
	else if (sinPhi === -1) phi = -halfPi - epsilon;
	for (var i = 0, n = polygon.length; i < n; ++i) {
		if (!(m = (ring = polygon[i]).length)) continue;
		var ring, m, point0 = ring[m - 1], lambda0 = longitude(point0), phi0 = point0[1] / 2 + quarterPi, sinPhi0 = sin(phi0), cosPhi0 = cos(phi0);
		for (var j = 0; j < m; ++j, lambda0 = lambda1, sinPhi0 = sinPhi1, cosPhi0 = cosPhi1, point0 = point1) {
			var point1 = ring[j], lambda1 = longitude(point1), phi1 = point1[1] / 2 + quarterPi, sinPhi1 = sin(phi1), cosPhi1 = cos(phi1), delta = lambda1 - lambda0, sign = delta >= 0 ? 1 : -1, absDelta = sign * delta, antimeridian = absDelta > pi, k = sinPhi0 * sinPhi1;
			sum.add(atan2(k * sign * sin(absDelta), cosPhi0 * cosPhi1 + k * cos(absDelta)));
			angle += antimeridian ? delta + sign * tau : delta;
			if (antimeridian ^ lambda0 >= lambda ^ lambda1 >= lambda) {
				var arc = cartesianCross(cartesian(point0), cartesian(point1));
				cartesianNormalizeInPlace(arc);
				var intersection = cartesianCross(normal, arc);
				cartesianNormalizeInPlace(intersection);
				var phiArc = (antimeridian ^ delta >= 0 ? -1 : 1) * asin(intersection[2]);
				if (phi > phiArc || phi === phiArc && (arc[0] || arc[1])) winding += antimeridian ^ delta >= 0 ? 1 : -1;
			}
		}
	}
	return (angle < -epsilon || angle < epsilon && sum < -epsilon2) ^ winding & 1;
}
function clip(pointVisible, clipLine, interpolate, start) {
	return function(sink) {
		var line = clipLine(sink), ringBuffer = clipBuffer(), ringSink = clipLine(ringBuffer), polygonStarted = false, polygon, segments, ring;
		var clip = {
			point,
			lineStart,
			lineEnd,
			polygonStart: function() {
				clip.point = pointRing;
				clip.lineStart = ringStart;
				clip.lineEnd = ringEnd;
				segments = [];
				polygon = [];
			},
			polygonEnd: function() {
				clip.point = point;
				clip.lineStart = lineStart;
				clip.lineEnd = lineEnd;
				segments = merge(segments);
				var startInside = polygonContains(polygon, start);
				if (segments.length) {
					if (!polygonStarted) sink.polygonStart(), polygonStarted = true;
					clipRejoin(segments, compareIntersection, startInside, interpolate, sink);
				} else if (startInside) {
					if (!polygonStarted) sink.polygonStart(), polygonStarted = true;
					sink.lineStart();
					interpolate(null, null, 1, sink);
					sink.lineEnd();
				}
				if (polygonStarted) sink.polygonEnd(), polygonStarted = false;
				segments = polygon = null;
			},
			sphere: function() {
				sink.polygonStart();
				sink.lineStart();
				interpolate(null, null, 1, sink);
				sink.lineEnd();
				sink.polygonEnd();
			}
		};
		function point(lambda, phi) {
			if (pointVisible(lambda, phi)) sink.point(lambda, phi);
		}
		function pointLine(lambda, phi) {
			line.point(lambda, phi);
		}
		function lineStart() {
			clip.point = pointLine;
			line.lineStart();
		}
		function lineEnd() {
			clip.point = point;
			line.lineEnd();
		}
		function pointRing(lambda, phi) {
			ring.push([lambda, phi]);
			ringSink.point(lambda, phi);
		}
		function ringStart() {
			ringSink.lineStart();
			ring = [];
		}
		function ringEnd() {
			pointRing(ring[0][0], ring[0][1]);
			ringSink.lineEnd();
			var clean = ringSink.clean(), ringSegments = ringBuffer.result(), i, n = ringSegments.length, m, segment, point;
			ring.pop();
			polygon.push(ring);
			ring = null;
			if (!n) return;
			if (clean & 1) {
				segment = ringSegments[0];
				if ((m = segment.length - 1) > 0) {
					if (!polygonStarted) sink.polygonStart(), polygonStarted = true;
					sink.lineStart();
					for (i = 0; i < m; ++i) sink.point((point = segment[i])[0], point[1]);
					sink.lineEnd();
				}
				return;
			}
			if (n > 1 && clean & 2) ringSegments.push(ringSegments.pop().concat(ringSegments.shift()));
			segments.push(ringSegments.filter(validSegment));
		}
		return clip;
	};
}
function validSegment(segment) {
	return segment.length > 1;
}
function compareIntersection(a, b) {
	return ((a = a.x)[0] < 0 ? a[1] - halfPi - epsilon : halfPi - a[1]) - ((b = b.x)[0] < 0 ? b[1] - halfPi - epsilon : halfPi - b[1]);
}
var clipAntimeridian = clip(function() {
	return true;
}, clipAntimeridianLine, clipAntimeridianInterpolate, [-pi, -halfPi]);
function clipAntimeridianLine(stream) {
	var lambda0 = NaN, phi0 = NaN, sign0 = NaN, clean;
	return {
		lineStart: function() {
			stream.lineStart();
			clean = 1;
		},
		point: function(lambda1, phi1) {
			var sign1 = lambda1 > 0 ? pi : -pi, delta = abs(lambda1 - lambda0);
			if (abs(delta - pi) < epsilon) {
				stream.point(lambda0, phi0 = (phi0 + phi1) / 2 > 0 ? halfPi : -halfPi);
				stream.point(sign0, phi0);
				stream.lineEnd();
				stream.lineStart();
				stream.point(sign1, phi0);
				stream.point(lambda1, phi0);
				clean = 0;
			} else if (sign0 !== sign1 && delta >= pi) {
				if (abs(lambda0 - sign0) < epsilon) lambda0 -= sign0 * epsilon;
				if (abs(lambda1 - sign1) < epsilon) lambda1 -= sign1 * epsilon;
				phi0 = clipAntimeridianIntersect(lambda0, phi0, lambda1, phi1);
				stream.point(sign0, phi0);
				stream.lineEnd();
				stream.lineStart();
				stream.point(sign1, phi0);
				clean = 0;
			}
			stream.point(lambda0 = lambda1, phi0 = phi1);
			sign0 = sign1;
		},
		lineEnd: function() {
			stream.lineEnd();
			lambda0 = phi0 = NaN;
		},
		clean: function() {
			return 2 - clean;
		}
	};
}
function clipAntimeridianIntersect(lambda0, phi0, lambda1, phi1) {
	var cosPhi0, cosPhi1, sinLambda0Lambda1 = sin(lambda0 - lambda1);
	return abs(sinLambda0Lambda1) > epsilon ? atan((sin(phi0) * (cosPhi1 = cos(phi1)) * sin(lambda1) - sin(phi1) * (cosPhi0 = cos(phi0)) * sin(lambda0)) / (cosPhi0 * cosPhi1 * sinLambda0Lambda1)) : (phi0 + phi1) / 2;
}
function clipAntimeridianInterpolate(from, to, direction, stream) {
	var phi;
	if (from == null) {
		phi = direction * halfPi;
		stream.point(-pi, phi);
		stream.point(0, phi);
		stream.point(pi, phi);
		stream.point(pi, 0);
		stream.point(pi, -phi);
		stream.point(0, -phi);
		stream.point(-pi, -phi);
		stream.point(-pi, 0);
		stream.point(-pi, phi);
	} else if (abs(from[0] - to[0]) > epsilon) {
		var lambda = from[0] < to[0] ? pi : -pi;
		phi = direction * lambda / 2;
		stream.point(-lambda, phi);
		stream.point(0, phi);
		stream.point(lambda, phi);
	} else stream.point(to[0], to[1]);
}
function clipCircle(radius) {
	var cr = cos(radius), delta = 2 * radians, smallRadius = cr > 0, notHemisphere = abs(cr) > epsilon;
	function interpolate(from, to, direction, stream) {
		circleStream(stream, radius, delta, direction, from, to);
	}
	function visible(lambda, phi) {
		return cos(lambda) * cos(phi) > cr;
	}
	function clipLine(stream) {
		var point0, c0, v0, v00, clean;
		return {
			lineStart: function() {
				v00 = v0 = false;
				clean = 1;
			},
			point: function(lambda, phi) {
				var point1 = [lambda, phi], point2, v = visible(lambda, phi), c = smallRadius ? v ? 0 : code(lambda, phi) : v ? code(lambda + (lambda < 0 ? pi : -pi), phi) : 0;
				if (!point0 && (v00 = v0 = v)) stream.lineStart();
				if (v !== v0) {
					point2 = intersect(point0, point1);
					if (!point2 || pointEqual(point0, point2) || pointEqual(point1, point2)) point1[2] = 1;
				}
				if (v !== v0) {
					clean = 0;
					if (v) {
						stream.lineStart();
						point2 = intersect(point1, point0);
						stream.point(point2[0], point2[1]);
					} else {
						point2 = intersect(point0, point1);
						stream.point(point2[0], point2[1], 2);
						stream.lineEnd();
					}
					point0 = point2;
				} else if (notHemisphere && point0 && smallRadius ^ v) {
					var t;
					if (!(c & c0) && (t = intersect(point1, point0, true))) {
						clean = 0;
						if (smallRadius) {
							stream.lineStart();
							stream.point(t[0][0], t[0][1]);
							stream.point(t[1][0], t[1][1]);
							stream.lineEnd();
						} else {
							stream.point(t[1][0], t[1][1]);
							stream.lineEnd();
							stream.lineStart();
							stream.point(t[0][0], t[0][1], 3);
						}
					}
				}
				if (v && (!point0 || !pointEqual(point0, point1))) stream.point(point1[0], point1[1]);
				point0 = point1, v0 = v, c0 = c;
			},
			lineEnd: function() {
				if (v0) stream.lineEnd();
				point0 = null;
			},
			clean: function() {
				return clean | (v00 && v0) << 1;
			}
		};
	}
	function intersect(a, b, two) {
		var pa = cartesian(a), pb = cartesian(b);
		var n1 = [
			1,
			0,
			0
		], n2 = cartesianCross(pa, pb), n2n2 = cartesianDot(n2, n2), n1n2 = n2[0], determinant = n2n2 - n1n2 * n1n2;
		if (!determinant) return !two && a;
		var c1 = cr * n2n2 / determinant, c2 = -cr * n1n2 / determinant, n1xn2 = cartesianCross(n1, n2), A = cartesianScale(n1, c1);
		cartesianAddInPlace(A, cartesianScale(n2, c2));
		var u = n1xn2, w = cartesianDot(A, u), uu = cartesianDot(u, u), t2 = w * w - uu * (cartesianDot(A, A) - 1);
		if (t2 < 0) return;
		var t = sqrt(t2), q = cartesianScale(u, (-w - t) / uu);
		cartesianAddInPlace(q, A);
		q = spherical(q);
		if (!two) return q;
		var lambda0 = a[0], lambda1 = b[0], phi0 = a[1], phi1 = b[1], z;
		if (lambda1 < lambda0) z = lambda0, lambda0 = lambda1, lambda1 = z;
		var delta = lambda1 - lambda0, polar = abs(delta - pi) < epsilon, meridian = polar || delta < epsilon;
		if (!polar && phi1 < phi0) z = phi0, phi0 = phi1, phi1 = z;
		if (meridian ? polar ? phi0 + phi1 > 0 ^ q[1] < (abs(q[0] - lambda0) < epsilon ? phi0 : phi1) : phi0 <= q[1] && q[1] <= phi1 : delta > pi ^ (lambda0 <= q[0] && q[0] <= lambda1)) {
			var q1 = cartesianScale(u, (-w + t) / uu);
			cartesianAddInPlace(q1, A);
			return [q, spherical(q1)];
		}
	}
	function code(lambda, phi) {
		var r = smallRadius ? radius : pi - radius, code = 0;
		if (lambda < -r) code |= 1;
		else if (lambda > r) code |= 2;
		if (phi < -r) code |= 4;
		else if (phi > r) code |= 8;
		return code;
	}
	return clip(visible, clipLine, interpolate, smallRadius ? [0, -radius] : [-pi, radius - pi]);
}
function clipLine(a, b, x0, y0, x1, y1) {
	var ax = a[0], ay = a[1], bx = b[0], by = b[1], t0 = 0, t1 = 1, dx = bx - ax, dy = by - ay, r = x0 - ax;
	if (!dx && r > 0) return;
	r /= dx;
	if (dx < 0) {
		if (r < t0) return;
		if (r < t1) t1 = r;
	} else if (dx > 0) {
		if (r > t1) return;
		if (r > t0) t0 = r;
	}
	r = x1 - ax;
	if (!dx && r < 0) return;
	r /= dx;
	if (dx < 0) {
		if (r > t1) return;
		if (r > t0) t0 = r;
	} else if (dx > 0) {
		if (r < t0) return;
		if (r < t1) t1 = r;
	}
	r = y0 - ay;
	if (!dy && r > 0) return;
	r /= dy;
	if (dy < 0) {
		if (r < t0) return;
		if (r < t1) t1 = r;
	} else if (dy > 0) {
		if (r > t1) return;
		if (r > t0) t0 = r;
	}
	r = y1 - ay;
	if (!dy && r < 0) return;
	r /= dy;
	if (dy < 0) {
		if (r > t1) return;
		if (r > t0) t0 = r;
	} else if (dy > 0) {
		if (r < t0) return;
		if (r < t1) t1 = r;
	}
	if (t0 > 0) a[0] = ax + t0 * dx, a[1] = ay + t0 * dy;
	if (t1 < 1) b[0] = ax + t1 * dx, b[1] = ay + t1 * dy;
	return true;
}
var clipMax = 1e9;
var clipMin = -clipMax;
function clipRectangle(x0, y0, x1, y1) {
	function visible(x, y) {
		return x0 <= x && x <= x1 && y0 <= y && y <= y1;
	}
	function interpolate(from, to, direction, stream) {
		var a = 0, a1 = 0;
		if (from == null || (a = corner(from, direction)) !== (a1 = corner(to, direction)) || comparePoint(from, to) < 0 ^ direction > 0) do
			stream.point(a === 0 || a === 3 ? x0 : x1, a > 1 ? y1 : y0);
		while ((a = (a + direction + 4) % 4) !== a1);
		else stream.point(to[0], to[1]);
	}
	function corner(p, direction) {
		return abs(p[0] - x0) < epsilon ? direction > 0 ? 0 : 3 : abs(p[0] - x1) < epsilon ? direction > 0 ? 2 : 1 : abs(p[1] - y0) < epsilon ? direction > 0 ? 1 : 0 : direction > 0 ? 3 : 2;
	}
	function compareIntersection(a, b) {
		return comparePoint(a.x, b.x);
	}
	function comparePoint(a, b) {
		var ca = corner(a, 1), cb = corner(b, 1);
		return ca !== cb ? ca - cb : ca === 0 ? b[1] - a[1] : ca === 1 ? a[0] - b[0] : ca === 2 ? a[1] - b[1] : b[0] - a[0];
	}
	return function(stream) {
		var activeStream = stream, bufferStream = clipBuffer(), segments, polygon, ring, x__, y__, v__, x_, y_, v_, first, clean;
		var clipStream = {
			point,
			lineStart,
			lineEnd,
			polygonStart,
			polygonEnd
		};
		function point(x, y) {
			if (visible(x, y)) activeStream.point(x, y);
		}
		function polygonInside() {
			var winding = 0;
			for (var i = 0, n = polygon.length; i < n; ++i) for (var ring = polygon[i], j = 1, m = ring.length, point = ring[0], a0, a1, b0 = point[0], b1 = point[1]; j < m; ++j) {
				a0 = b0, a1 = b1, point = ring[j], b0 = point[0], b1 = point[1];
				if (a1 <= y1) {
					if (b1 > y1 && (b0 - a0) * (y1 - a1) > (b1 - a1) * (x0 - a0)) ++winding;
				} else if (b1 <= y1 && (b0 - a0) * (y1 - a1) < (b1 - a1) * (x0 - a0)) --winding;
			}
			return winding;
		}
		function polygonStart() {
			activeStream = bufferStream, segments = [], polygon = [], clean = true;
		}
		function polygonEnd() {
			var startInside = polygonInside(), cleanInside = clean && startInside, visible = (segments = merge(segments)).length;
			if (cleanInside || visible) {
				stream.polygonStart();
				if (cleanInside) {
					stream.lineStart();
					interpolate(null, null, 1, stream);
					stream.lineEnd();
				}
				if (visible) clipRejoin(segments, compareIntersection, startInside, interpolate, stream);
				stream.polygonEnd();
			}
			activeStream = stream, segments = polygon = ring = null;
		}
		function lineStart() {
			clipStream.point = linePoint;
			if (polygon) polygon.push(ring = []);
			first = true;
			v_ = false;
			x_ = y_ = NaN;
		}
		function lineEnd() {
			if (segments) {
				linePoint(x__, y__);
				if (v__ && v_) bufferStream.rejoin();
				segments.push(bufferStream.result());
			}
			clipStream.point = point;
			if (v_) activeStream.lineEnd();
		}
		function linePoint(x, y) {
			var v = visible(x, y);
			if (polygon) ring.push([x, y]);
			if (first) {
				x__ = x, y__ = y, v__ = v;
				first = false;
				if (v) {
					activeStream.lineStart();
					activeStream.point(x, y);
				}
			} else if (v && v_) activeStream.point(x, y);
			else {
				var a = [x_ = Math.max(clipMin, Math.min(clipMax, x_)), y_ = Math.max(clipMin, Math.min(clipMax, y_))], b = [x = Math.max(clipMin, Math.min(clipMax, x)), y = Math.max(clipMin, Math.min(clipMax, y))];
				if (clipLine(a, b, x0, y0, x1, y1)) {
					if (!v_) {
						activeStream.lineStart();
						activeStream.point(a[0], a[1]);
					}
					activeStream.point(b[0], b[1]);
					if (!v) activeStream.lineEnd();
					clean = false;
				} else if (v) {
					activeStream.lineStart();
					activeStream.point(x, y);
					clean = false;
				}
			}
			x_ = x, y_ = y, v_ = v;
		}
		return clipStream;
	};
}
var lengthSum$1;
var lambda0;
var sinPhi0;
var cosPhi0;
var lengthStream$1 = {
	sphere: noop,
	point: noop,
	lineStart: lengthLineStart,
	lineEnd: noop,
	polygonStart: noop,
	polygonEnd: noop
};
function lengthLineStart() {
	lengthStream$1.point = lengthPointFirst$1;
	lengthStream$1.lineEnd = lengthLineEnd;
}
function lengthLineEnd() {
	lengthStream$1.point = lengthStream$1.lineEnd = noop;
}
function lengthPointFirst$1(lambda, phi) {
	lambda *= radians, phi *= radians;
	lambda0 = lambda, sinPhi0 = sin(phi), cosPhi0 = cos(phi);
	lengthStream$1.point = lengthPoint$1;
}
function lengthPoint$1(lambda, phi) {
	lambda *= radians, phi *= radians;
	var sinPhi = sin(phi), cosPhi = cos(phi), delta = abs(lambda - lambda0), cosDelta = cos(delta), x = cosPhi * sin(delta), y = cosPhi0 * sinPhi - sinPhi0 * cosPhi * cosDelta, z = sinPhi0 * sinPhi + cosPhi0 * cosPhi * cosDelta;
	lengthSum$1.add(atan2(sqrt(x * x + y * y), z));
	lambda0 = lambda, sinPhi0 = sinPhi, cosPhi0 = cosPhi;
}
function length(object) {
	lengthSum$1 = new Adder();
	geoStream(object, lengthStream$1);
	return +lengthSum$1;
}
var coordinates = [null, null];
var object = {
	type: "LineString",
	coordinates
};
function distance(a, b) {
	coordinates[0] = a;
	coordinates[1] = b;
	return length(object);
}
function interpolate(a, b) {
	var x0 = a[0] * radians, y0 = a[1] * radians, x1 = b[0] * radians, y1 = b[1] * radians, cy0 = cos(y0), sy0 = sin(y0), cy1 = cos(y1), sy1 = sin(y1), kx0 = cy0 * cos(x0), ky0 = cy0 * sin(x0), kx1 = cy1 * cos(x1), ky1 = cy1 * sin(x1), d = 2 * asin(sqrt(haversin(y1 - y0) + cy0 * cy1 * haversin(x1 - x0))), k = sin(d);
	var interpolate = d ? function(t) {
		var B = sin(t *= d) / k, A = sin(d - t) / k, x = A * kx0 + B * kx1, y = A * ky0 + B * ky1, z = A * sy0 + B * sy1;
		return [atan2(y, x) * degrees, atan2(z, sqrt(x * x + y * y)) * degrees];
	} : function() {
		return [x0 * degrees, y0 * degrees];
	};
	interpolate.distance = d;
	return interpolate;
}
var identity$1 = (x) => x;
var areaSum = new Adder();
var areaRingSum = new Adder();
var x00$2;
var y00$2;
var x0$3;
var y0$3;
var areaStream = {
	point: noop,
	lineStart: noop,
	lineEnd: noop,
	polygonStart: function() {
		areaStream.lineStart = areaRingStart;
		areaStream.lineEnd = areaRingEnd;
	},
	polygonEnd: function() {
		areaStream.lineStart = areaStream.lineEnd = areaStream.point = noop;
		areaSum.add(abs(areaRingSum));
		areaRingSum = new Adder();
	},
	result: function() {
		var area = areaSum / 2;
		areaSum = new Adder();
		return area;
	}
};
function areaRingStart() {
	areaStream.point = areaPointFirst;
}
function areaPointFirst(x, y) {
	areaStream.point = areaPoint;
	x00$2 = x0$3 = x, y00$2 = y0$3 = y;
}
function areaPoint(x, y) {
	areaRingSum.add(y0$3 * x - x0$3 * y);
	x0$3 = x, y0$3 = y;
}
function areaRingEnd() {
	areaPoint(x00$2, y00$2);
}
var x0$2 = Infinity;
var y0$2 = x0$2;
var x1 = -x0$2;
var y1 = x1;
var boundsStream = {
	point: boundsPoint,
	lineStart: noop,
	lineEnd: noop,
	polygonStart: noop,
	polygonEnd: noop,
	result: function() {
		var bounds = [[x0$2, y0$2], [x1, y1]];
		x1 = y1 = -(y0$2 = x0$2 = Infinity);
		return bounds;
	}
};
function boundsPoint(x, y) {
	if (x < x0$2) x0$2 = x;
	if (x > x1) x1 = x;
	if (y < y0$2) y0$2 = y;
	if (y > y1) y1 = y;
}
var X0 = 0;
var Y0 = 0;
var Z0 = 0;
var X1 = 0;
var Y1 = 0;
var Z1 = 0;
var X2 = 0;
var Y2 = 0;
var Z2 = 0;
var x00$1;
var y00$1;
var x0$1;
var y0$1;
var centroidStream = {
	point: centroidPoint,
	lineStart: centroidLineStart,
	lineEnd: centroidLineEnd,
	polygonStart: function() {
		centroidStream.lineStart = centroidRingStart;
		centroidStream.lineEnd = centroidRingEnd;
	},
	polygonEnd: function() {
		centroidStream.point = centroidPoint;
		centroidStream.lineStart = centroidLineStart;
		centroidStream.lineEnd = centroidLineEnd;
	},
	result: function() {
		var centroid = Z2 ? [X2 / Z2, Y2 / Z2] : Z1 ? [X1 / Z1, Y1 / Z1] : Z0 ? [X0 / Z0, Y0 / Z0] : [NaN, NaN];
		X0 = Y0 = Z0 = X1 = Y1 = Z1 = X2 = Y2 = Z2 = 0;
		return centroid;
	}
};
function centroidPoint(x, y) {
	X0 += x;
	Y0 += y;
	++Z0;
}
function centroidLineStart() {
	centroidStream.point = centroidPointFirstLine;
}
function centroidPointFirstLine(x, y) {
	centroidStream.point = centroidPointLine;
	centroidPoint(x0$1 = x, y0$1 = y);
}
function centroidPointLine(x, y) {
	var dx = x - x0$1, dy = y - y0$1, z = sqrt(dx * dx + dy * dy);
	X1 += z * (x0$1 + x) / 2;
	Y1 += z * (y0$1 + y) / 2;
	Z1 += z;
	centroidPoint(x0$1 = x, y0$1 = y);
}
function centroidLineEnd() {
	centroidStream.point = centroidPoint;
}
function centroidRingStart() {
	centroidStream.point = centroidPointFirstRing;
}
function centroidRingEnd() {
	centroidPointRing(x00$1, y00$1);
}
function centroidPointFirstRing(x, y) {
	centroidStream.point = centroidPointRing;
	centroidPoint(x00$1 = x0$1 = x, y00$1 = y0$1 = y);
}
function centroidPointRing(x, y) {
	var dx = x - x0$1, dy = y - y0$1, z = sqrt(dx * dx + dy * dy);
	X1 += z * (x0$1 + x) / 2;
	Y1 += z * (y0$1 + y) / 2;
	Z1 += z;
	z = y0$1 * x - x0$1 * y;
	X2 += z * (x0$1 + x);
	Y2 += z * (y0$1 + y);
	Z2 += z * 3;
	centroidPoint(x0$1 = x, y0$1 = y);
}
function PathContext(context) {
	this._context = context;
}
PathContext.prototype = {
	_radius: 4.5,
	pointRadius: function(_) {
		return this._radius = _, this;
	},
	polygonStart: function() {
		this._line = 0;
	},
	polygonEnd: function() {
		this._line = NaN;
	},
	lineStart: function() {
		this._point = 0;
	},
	lineEnd: function() {
		if (this._line === 0) this._context.closePath();
		this._point = NaN;
	},
	point: function(x, y) {
		switch (this._point) {
			case 0:
				this._context.moveTo(x, y);
				this._point = 1;
				break;
			case 1:
				this._context.lineTo(x, y);
				break;
			default:
				this._context.moveTo(x + this._radius, y);
				this._context.arc(x, y, this._radius, 0, tau);
		}
	},
	result: noop
};
var lengthSum = new Adder();
var lengthRing;
var x00;
var y00;
var x0;
var y0;
var lengthStream = {
	point: noop,
	lineStart: function() {
		lengthStream.point = lengthPointFirst;
	},
	lineEnd: function() {
		if (lengthRing) lengthPoint(x00, y00);
		lengthStream.point = noop;
	},
	polygonStart: function() {
		lengthRing = true;
	},
	polygonEnd: function() {
		lengthRing = null;
	},
	result: function() {
		var length = +lengthSum;
		lengthSum = new Adder();
		return length;
	}
};
function lengthPointFirst(x, y) {
	lengthStream.point = lengthPoint;
	x00 = x0 = x, y00 = y0 = y;
}
function lengthPoint(x, y) {
	x0 -= x, y0 -= y;
	lengthSum.add(sqrt(x0 * x0 + y0 * y0));
	x0 = x, y0 = y;
}
var cacheDigits;
var cacheAppend;
var cacheRadius;
var cacheCircle;
var PathString = class {
	constructor(digits) {
		this._append = digits == null ? append : appendRound(digits);
		this._radius = 4.5;
		this._ = "";
	}
	pointRadius(_) {
		this._radius = +_;
		return this;
	}
	polygonStart() {
		this._line = 0;
	}
	polygonEnd() {
		this._line = NaN;
	}
	lineStart() {
		this._point = 0;
	}
	lineEnd() {
		if (this._line === 0) this._ += "Z";
		this._point = NaN;
	}
	point(x, y) {
		switch (this._point) {
			case 0:
				this._append`M${x},${y}`;
				this._point = 1;
				break;
			case 1:
				this._append`L${x},${y}`;
				break;
			default:
				this._append`M${x},${y}`;
				if (this._radius !== cacheRadius || this._append !== cacheAppend) {
					const r = this._radius;
					const s = this._;
					this._ = "";
					this._append`m0,${r}a${r},${r} 0 1,1 0,${-2 * r}a${r},${r} 0 1,1 0,${2 * r}z`;
					cacheRadius = r;
					cacheAppend = this._append;
					cacheCircle = this._;
					this._ = s;
				}
				this._ += cacheCircle;
		}
	}
	result() {
		const result = this._;
		this._ = "";
		return result.length ? result : null;
	}
};
function append(strings) {
	let i = 1;
	this._ += strings[0];
	for (const j = strings.length; i < j; ++i) this._ += arguments[i] + strings[i];
}
function appendRound(digits) {
	const d = Math.floor(digits);
	if (!(d >= 0)) throw new RangeError(`invalid digits: ${digits}`);
	if (d > 15) return append;
	if (d !== cacheDigits) {
		const k = 10 ** d;
		cacheDigits = d;
		cacheAppend = function append(strings) {
			let i = 1;
			this._ += strings[0];
			for (const j = strings.length; i < j; ++i) this._ += Math.round(arguments[i] * k) / k + strings[i];
		};
	}
	return cacheAppend;
}
function index(projection, context) {
	let digits = 3, pointRadius = 4.5, projectionStream, contextStream;
	function path(object) {
		if (object) {
			if (typeof pointRadius === "function") contextStream.pointRadius(+pointRadius.apply(this, arguments));
			geoStream(object, projectionStream(contextStream));
		}
		return contextStream.result();
	}
	path.area = function(object) {
		geoStream(object, projectionStream(areaStream));
		return areaStream.result();
	};
	path.measure = function(object) {
		geoStream(object, projectionStream(lengthStream));
		return lengthStream.result();
	};
	path.bounds = function(object) {
		geoStream(object, projectionStream(boundsStream));
		return boundsStream.result();
	};
	path.centroid = function(object) {
		geoStream(object, projectionStream(centroidStream));
		return centroidStream.result();
	};
	path.projection = function(_) {
		if (!arguments.length) return projection;
		projectionStream = _ == null ? (projection = null, identity$1) : (projection = _).stream;
		return path;
	};
	path.context = function(_) {
		if (!arguments.length) return context;
		contextStream = _ == null ? (context = null, new PathString(digits)) : new PathContext(context = _);
		if (typeof pointRadius !== "function") contextStream.pointRadius(pointRadius);
		return path;
	};
	path.pointRadius = function(_) {
		if (!arguments.length) return pointRadius;
		pointRadius = typeof _ === "function" ? _ : (contextStream.pointRadius(+_), +_);
		return path;
	};
	path.digits = function(_) {
		if (!arguments.length) return digits;
		if (_ == null) digits = null;
		else {
			const d = Math.floor(_);
			if (!(d >= 0)) throw new RangeError(`invalid digits: ${_}`);
			digits = d;
		}
		if (context === null) contextStream = new PathString(digits);
		return path;
	};
	return path.projection(projection).digits(digits).context(context);
}
function transformer(methods) {
	return function(stream) {
		var s = new TransformStream();
		for (var key in methods) s[key] = methods[key];
		s.stream = stream;
		return s;
	};
}
function TransformStream() {}
TransformStream.prototype = {
	constructor: TransformStream,
	point: function(x, y) {
		this.stream.point(x, y);
	},
	sphere: function() {
		this.stream.sphere();
	},
	lineStart: function() {
		this.stream.lineStart();
	},
	lineEnd: function() {
		this.stream.lineEnd();
	},
	polygonStart: function() {
		this.stream.polygonStart();
	},
	polygonEnd: function() {
		this.stream.polygonEnd();
	}
};
function fit(projection, fitBounds, object) {
	var clip = projection.clipExtent && projection.clipExtent();
	projection.scale(150).translate([0, 0]);
	if (clip != null) projection.clipExtent(null);
	geoStream(object, projection.stream(boundsStream));
	fitBounds(boundsStream.result());
	if (clip != null) projection.clipExtent(clip);
	return projection;
}
function fitExtent(projection, extent, object) {
	return fit(projection, function(b) {
		var w = extent[1][0] - extent[0][0], h = extent[1][1] - extent[0][1], k = Math.min(w / (b[1][0] - b[0][0]), h / (b[1][1] - b[0][1])), x = +extent[0][0] + (w - k * (b[1][0] + b[0][0])) / 2, y = +extent[0][1] + (h - k * (b[1][1] + b[0][1])) / 2;
		projection.scale(150 * k).translate([x, y]);
	}, object);
}
function fitSize(projection, size, object) {
	return fitExtent(projection, [[0, 0], size], object);
}
function fitWidth(projection, width, object) {
	return fit(projection, function(b) {
		var w = +width, k = w / (b[1][0] - b[0][0]), x = (w - k * (b[1][0] + b[0][0])) / 2, y = -k * b[0][1];
		projection.scale(150 * k).translate([x, y]);
	}, object);
}
function fitHeight(projection, height, object) {
	return fit(projection, function(b) {
		var h = +height, k = h / (b[1][1] - b[0][1]), x = -k * b[0][0], y = (h - k * (b[1][1] + b[0][1])) / 2;
		projection.scale(150 * k).translate([x, y]);
	}, object);
}
var maxDepth = 16;
var cosMinDistance = cos(30 * radians);
function resample(project, delta2) {
	return +delta2 ? resample$1(project, delta2) : resampleNone(project);
}
function resampleNone(project) {
	return transformer({ point: function(x, y) {
		x = project(x, y);
		this.stream.point(x[0], x[1]);
	} });
}
function resample$1(project, delta2) {
	function resampleLineTo(x0, y0, lambda0, a0, b0, c0, x1, y1, lambda1, a1, b1, c1, depth, stream) {
		var dx = x1 - x0, dy = y1 - y0, d2 = dx * dx + dy * dy;
		if (d2 > 4 * delta2 && depth--) {
			var a = a0 + a1, b = b0 + b1, c = c0 + c1, m = sqrt(a * a + b * b + c * c), phi2 = asin(c /= m), lambda2 = abs(abs(c) - 1) < epsilon || abs(lambda0 - lambda1) < epsilon ? (lambda0 + lambda1) / 2 : atan2(b, a), p = project(lambda2, phi2), x2 = p[0], y2 = p[1], dx2 = x2 - x0, dy2 = y2 - y0, dz = dy * dx2 - dx * dy2;
			if (dz * dz / d2 > delta2 || abs((dx * dx2 + dy * dy2) / d2 - .5) > .3 || a0 * a1 + b0 * b1 + c0 * c1 < cosMinDistance) {
				resampleLineTo(x0, y0, lambda0, a0, b0, c0, x2, y2, lambda2, a /= m, b /= m, c, depth, stream);
				stream.point(x2, y2);
				resampleLineTo(x2, y2, lambda2, a, b, c, x1, y1, lambda1, a1, b1, c1, depth, stream);
			}
		}
	}
	return function(stream) {
		var lambda00, x00, y00, a00, b00, c00, lambda0, x0, y0, a0, b0, c0;
		var resampleStream = {
			point,
			lineStart,
			lineEnd,
			polygonStart: function() {
				stream.polygonStart();
				resampleStream.lineStart = ringStart;
			},
			polygonEnd: function() {
				stream.polygonEnd();
				resampleStream.lineStart = lineStart;
			}
		};
		function point(x, y) {
			x = project(x, y);
			stream.point(x[0], x[1]);
		}
		function lineStart() {
			x0 = NaN;
			resampleStream.point = linePoint;
			stream.lineStart();
		}
		function linePoint(lambda, phi) {
			var c = cartesian([lambda, phi]), p = project(lambda, phi);
			resampleLineTo(x0, y0, lambda0, a0, b0, c0, x0 = p[0], y0 = p[1], lambda0 = lambda, a0 = c[0], b0 = c[1], c0 = c[2], maxDepth, stream);
			stream.point(x0, y0);
		}
		function lineEnd() {
			resampleStream.point = point;
			stream.lineEnd();
		}
		function ringStart() {
			lineStart();
			resampleStream.point = ringPoint;
			resampleStream.lineEnd = ringEnd;
		}
		function ringPoint(lambda, phi) {
			linePoint(lambda00 = lambda, phi), x00 = x0, y00 = y0, a00 = a0, b00 = b0, c00 = c0;
			resampleStream.point = linePoint;
		}
		function ringEnd() {
			resampleLineTo(x0, y0, lambda0, a0, b0, c0, x00, y00, lambda00, a00, b00, c00, maxDepth, stream);
			resampleStream.lineEnd = lineEnd;
			lineEnd();
		}
		return resampleStream;
	};
}
var transformRadians = transformer({ point: function(x, y) {
	this.stream.point(x * radians, y * radians);
} });
function transformRotate(rotate) {
	return transformer({ point: function(x, y) {
		var r = rotate(x, y);
		return this.stream.point(r[0], r[1]);
	} });
}
function scaleTranslate(k, dx, dy, sx, sy) {
	function transform(x, y) {
		x *= sx;
		y *= sy;
		return [dx + k * x, dy - k * y];
	}
	transform.invert = function(x, y) {
		return [(x - dx) / k * sx, (dy - y) / k * sy];
	};
	return transform;
}
function scaleTranslateRotate(k, dx, dy, sx, sy, alpha) {
	if (!alpha) return scaleTranslate(k, dx, dy, sx, sy);
	var cosAlpha = cos(alpha), sinAlpha = sin(alpha), a = cosAlpha * k, b = sinAlpha * k, ai = cosAlpha / k, bi = sinAlpha / k, ci = (sinAlpha * dy - cosAlpha * dx) / k, fi = (sinAlpha * dx + cosAlpha * dy) / k;
	function transform(x, y) {
		x *= sx;
		y *= sy;
		return [a * x - b * y + dx, dy - b * x - a * y];
	}
	transform.invert = function(x, y) {
		return [sx * (ai * x - bi * y + ci), sy * (fi - bi * x - ai * y)];
	};
	return transform;
}
function projection(project) {
	return projectionMutator(function() {
		return project;
	})();
}
function projectionMutator(projectAt) {
	var project, k = 150, x = 480, y = 250, lambda = 0, phi = 0, deltaLambda = 0, deltaPhi = 0, deltaGamma = 0, rotate, alpha = 0, sx = 1, sy = 1, theta = null, preclip = clipAntimeridian, x0 = null, y0, x1, y1, postclip = identity$1, delta2 = .5, projectResample, projectTransform, projectRotateTransform, cache, cacheStream;
	function projection(point) {
		return projectRotateTransform(point[0] * radians, point[1] * radians);
	}
	function invert(point) {
		point = projectRotateTransform.invert(point[0], point[1]);
		return point && [point[0] * degrees, point[1] * degrees];
	}
	projection.stream = function(stream) {
		return cache && cacheStream === stream ? cache : cache = transformRadians(transformRotate(rotate)(preclip(projectResample(postclip(cacheStream = stream)))));
	};
	projection.preclip = function(_) {
		return arguments.length ? (preclip = _, theta = void 0, reset()) : preclip;
	};
	projection.postclip = function(_) {
		return arguments.length ? (postclip = _, x0 = y0 = x1 = y1 = null, reset()) : postclip;
	};
	projection.clipAngle = function(_) {
		return arguments.length ? (preclip = +_ ? clipCircle(theta = _ * radians) : (theta = null, clipAntimeridian), reset()) : theta * degrees;
	};
	projection.clipExtent = function(_) {
		return arguments.length ? (postclip = _ == null ? (x0 = y0 = x1 = y1 = null, identity$1) : clipRectangle(x0 = +_[0][0], y0 = +_[0][1], x1 = +_[1][0], y1 = +_[1][1]), reset()) : x0 == null ? null : [[x0, y0], [x1, y1]];
	};
	projection.scale = function(_) {
		return arguments.length ? (k = +_, recenter()) : k;
	};
	projection.translate = function(_) {
		return arguments.length ? (x = +_[0], y = +_[1], recenter()) : [x, y];
	};
	projection.center = function(_) {
		return arguments.length ? (lambda = _[0] % 360 * radians, phi = _[1] % 360 * radians, recenter()) : [lambda * degrees, phi * degrees];
	};
	projection.rotate = function(_) {
		return arguments.length ? (deltaLambda = _[0] % 360 * radians, deltaPhi = _[1] % 360 * radians, deltaGamma = _.length > 2 ? _[2] % 360 * radians : 0, recenter()) : [
			deltaLambda * degrees,
			deltaPhi * degrees,
			deltaGamma * degrees
		];
	};
	projection.angle = function(_) {
		return arguments.length ? (alpha = _ % 360 * radians, recenter()) : alpha * degrees;
	};
	projection.reflectX = function(_) {
		return arguments.length ? (sx = _ ? -1 : 1, recenter()) : sx < 0;
	};
	projection.reflectY = function(_) {
		return arguments.length ? (sy = _ ? -1 : 1, recenter()) : sy < 0;
	};
	projection.precision = function(_) {
		return arguments.length ? (projectResample = resample(projectTransform, delta2 = _ * _), reset()) : sqrt(delta2);
	};
	projection.fitExtent = function(extent, object) {
		return fitExtent(projection, extent, object);
	};
	projection.fitSize = function(size, object) {
		return fitSize(projection, size, object);
	};
	projection.fitWidth = function(width, object) {
		return fitWidth(projection, width, object);
	};
	projection.fitHeight = function(height, object) {
		return fitHeight(projection, height, object);
	};
	function recenter() {
		var center = scaleTranslateRotate(k, 0, 0, sx, sy, alpha).apply(null, project(lambda, phi)), transform = scaleTranslateRotate(k, x - center[0], y - center[1], sx, sy, alpha);
		rotate = rotateRadians(deltaLambda, deltaPhi, deltaGamma);
		projectTransform = compose(project, transform);
		projectRotateTransform = compose(rotate, projectTransform);
		projectResample = resample(projectTransform, delta2);
		return reset();
	}
	function reset() {
		cache = cacheStream = null;
		return projection;
	}
	return function() {
		project = projectAt.apply(this, arguments);
		projection.invert = project.invert && invert;
		return recenter();
	};
}
function azimuthalRaw(scale) {
	return function(x, y) {
		var cx = cos(x), cy = cos(y), k = scale(cx * cy);
		if (k === Infinity) return [2, 0];
		return [k * cy * sin(x), k * sin(y)];
	};
}
function azimuthalInvert(angle) {
	return function(x, y) {
		var z = sqrt(x * x + y * y), c = angle(z), sc = sin(c), cc = cos(c);
		return [atan2(x * sc, z * cc), asin(z && y * sc / z)];
	};
}
var azimuthalEqualAreaRaw = azimuthalRaw(function(cxcy) {
	return sqrt(2 / (1 + cxcy));
});
azimuthalEqualAreaRaw.invert = azimuthalInvert(function(z) {
	return 2 * asin(z / 2);
});
function azimuthalEqualArea() {
	return projection(azimuthalEqualAreaRaw).scale(124.75).clipAngle(179.999);
}
var azimuthalEquidistantRaw = azimuthalRaw(function(c) {
	return (c = acos(c)) && c / sin(c);
});
azimuthalEquidistantRaw.invert = azimuthalInvert(function(z) {
	return z;
});
function mercatorRaw(lambda, phi) {
	return [lambda, log(tan((halfPi + phi) / 2))];
}
mercatorRaw.invert = function(x, y) {
	return [x, 2 * atan(exp(y)) - halfPi];
};
function equirectangularRaw(lambda, phi) {
	return [lambda, phi];
}
equirectangularRaw.invert = equirectangularRaw;
var A1 = 1.340264;
var A2 = -.081106;
var A3 = 893e-6;
var A4 = .003796;
var M = sqrt(3) / 2;
var iterations = 12;
function equalEarthRaw(lambda, phi) {
	var l = asin(M * sin(phi)), l2 = l * l, l6 = l2 * l2 * l2;
	return [lambda * cos(l) / (M * (A1 + 3 * A2 * l2 + l6 * (7 * A3 + 9 * A4 * l2))), l * (A1 + A2 * l2 + l6 * (A3 + A4 * l2))];
}
equalEarthRaw.invert = function(x, y) {
	var l = y, l2 = l * l, l6 = l2 * l2 * l2;
	for (var i = 0, delta, fy, fpy; i < iterations; ++i) {
		fy = l * (A1 + A2 * l2 + l6 * (A3 + A4 * l2)) - y;
		fpy = A1 + 3 * A2 * l2 + l6 * (7 * A3 + 9 * A4 * l2);
		l -= delta = fy / fpy, l2 = l * l, l6 = l2 * l2 * l2;
		if (abs(delta) < epsilon2) break;
	}
	return [M * x * (A1 + 3 * A2 * l2 + l6 * (7 * A3 + 9 * A4 * l2)) / cos(l), asin(sin(l) / M)];
};
function equalEarth() {
	return projection(equalEarthRaw).scale(177.158);
}
function gnomonicRaw(x, y) {
	var cy = cos(y), k = cos(x) * cy;
	return [cy * sin(x) / k, sin(y) / k];
}
gnomonicRaw.invert = azimuthalInvert(atan);
function naturalEarth1Raw(lambda, phi) {
	var phi2 = phi * phi, phi4 = phi2 * phi2;
	return [lambda * (.8707 - .131979 * phi2 + phi4 * (-.013791 + phi4 * (.003971 * phi2 - .001529 * phi4))), phi * (1.007226 + phi2 * (.015085 + phi4 * (-.044475 + .028874 * phi2 - .005916 * phi4)))];
}
naturalEarth1Raw.invert = function(x, y) {
	var phi = y, i = 25, delta;
	do {
		var phi2 = phi * phi, phi4 = phi2 * phi2;
		phi -= delta = (phi * (1.007226 + phi2 * (.015085 + phi4 * (-.044475 + .028874 * phi2 - .005916 * phi4))) - y) / (1.007226 + phi2 * (.045255 + phi4 * (-.311325 + .259866 * phi2 - .005916 * 11 * phi4)));
	} while (abs(delta) > epsilon && --i > 0);
	return [x / (.8707 + (phi2 = phi * phi) * (-.131979 + phi2 * (-.013791 + phi2 * phi2 * phi2 * (.003971 - .001529 * phi2)))), phi];
};
function orthographicRaw(x, y) {
	return [cos(y) * sin(x), sin(y)];
}
orthographicRaw.invert = azimuthalInvert(asin);
function stereographicRaw(x, y) {
	var cy = cos(y), k = 1 + cos(x) * cy;
	return [cy * sin(x) / k, sin(y) / k];
}
stereographicRaw.invert = azimuthalInvert(function(z) {
	return 2 * atan(z);
});
function transverseMercatorRaw(lambda, phi) {
	return [log(tan((halfPi + phi) / 2)), -lambda];
}
transverseMercatorRaw.invert = function(x, y) {
	return [-y, 2 * atan(exp(x)) - halfPi];
};
var geodesic = {};
geodesic.Constants = {};
geodesic.Math = {};
geodesic.Accumulator = {};
(function(c) {
	"use strict";
	c.WGS84 = {
		a: 6378137,
		f: 1 / 298.257223563
	};
	c.version = {
		major: 2,
		minor: 2,
		patch: 0
	};
	c.version_string = "2.2.0";
})(geodesic.Constants);
(function(m) {
	"use strict";
	m.digits = 53;
	m.epsilon = Math.pow(.5, m.digits - 1);
	m.degree = Math.PI / 180;
	m.sq = function(x) {
		return x * x;
	};
	m.hypot = function(x, y) {
		return Math.sqrt(x * x + y * y);
	};
	m.cbrt = Math.cbrt || function(x) {
		var y = Math.pow(Math.abs(x), 1 / 3);
		return x > 0 ? y : x < 0 ? -y : x;
	};
	m.log1p = Math.log1p || function(x) {
		var y = 1 + x, z = y - 1;
		return z === 0 ? x : x * Math.log(y) / z;
	};
	m.atanh = Math.atanh || function(x) {
		var y = Math.abs(x);
		y = m.log1p(2 * y / (1 - y)) / 2;
		return x > 0 ? y : x < 0 ? -y : x;
	};
	m.copysign = function(x, y) {
		return Math.abs(x) * (y < 0 || y === 0 && 1 / y < 0 ? -1 : 1);
	};
	m.sum = function(u, v) {
		var s = u + v, up = s - v, vpp = s - up, t;
		up -= u;
		vpp -= v;
		t = s ? 0 - (up + vpp) : s;
		return {
			s,
			t
		};
	};
	m.polyval = function(N, p, s, x) {
		var y = N < 0 ? 0 : p[s++];
		while (--N >= 0) y = y * x + p[s++];
		return y;
	};
	m.AngRound = function(x) {
		var z = 1 / 16, y = Math.abs(x);
		y = y < z ? z - (z - y) : y;
		return m.copysign(y, x);
	};
	m.remainder = function(x, y) {
		x %= y;
		return x < -y / 2 ? x + y : x < y / 2 ? x : x - y;
	};
	m.AngNormalize = function(x) {
		var y = m.remainder(x, 360);
		return Math.abs(y) === 180 ? m.copysign(180, x) : y;
	};
	m.LatFix = function(x) {
		return Math.abs(x) > 90 ? NaN : x;
	};
	m.AngDiff = function(x, y) {
		var r = m.sum(m.remainder(-x, 360), m.remainder(y, 360)), d, e;
		r = m.sum(m.remainder(r.s, 360), r.t);
		d = r.s;
		e = r.t;
		if (d === 0 || Math.abs(d) === 180) d = m.copysign(d, e === 0 ? y - x : -e);
		return {
			d,
			e
		};
	};
	m.sincosd = function(x) {
		var d = x % 360, r, q = Math.round(d / 90), s, c, sinx, cosx;
		d -= 90 * q;
		r = d * this.degree;
		s = Math.sin(r);
		c = Math.cos(r);
		if (Math.abs(d) === 45) {
			c = Math.sqrt(.5);
			s = m.copysign(c, r);
		} else if (Math.abs(d) === 30) {
			c = Math.sqrt(.75);
			s = m.copysign(.5, r);
		}
		switch (q & 3) {
			case 0:
				sinx = s;
				cosx = c;
				break;
			case 1:
				sinx = c;
				cosx = -s;
				break;
			case 2:
				sinx = -s;
				cosx = -c;
				break;
			default:
				sinx = -c;
				cosx = s;
		}
		cosx += 0;
		if (sinx === 0) sinx = m.copysign(sinx, x);
		return {
			s: sinx,
			c: cosx
		};
	};
	m.sincosde = function(x, t) {
		var d = x % 360, r, q = Math.round(d / 90), s, c, sinx, cosx;
		d = m.AngRound(d - 90 * q + t);
		r = d * this.degree;
		s = Math.sin(r);
		c = Math.cos(r);
		if (Math.abs(d) === 45) {
			c = Math.sqrt(.5);
			s = m.copysign(c, r);
		} else if (Math.abs(d) === 30) {
			c = Math.sqrt(.75);
			s = m.copysign(.5, r);
		}
		switch (q & 3) {
			case 0:
				sinx = s;
				cosx = c;
				break;
			case 1:
				sinx = c;
				cosx = -s;
				break;
			case 2:
				sinx = -s;
				cosx = -c;
				break;
			default:
				sinx = -c;
				cosx = s;
		}
		cosx += 0;
		if (sinx === 0) sinx = m.copysign(sinx, x + t);
		return {
			s: sinx,
			c: cosx
		};
	};
	m.atan2d = function(y, x) {
		var q = 0, ang;
		if (Math.abs(y) > Math.abs(x)) {
			[y, x] = [x, y];
			q = 2;
		}
		if (m.copysign(1, x) < 0) {
			x = -x;
			++q;
		}
		ang = Math.atan2(y, x) / this.degree;
		switch (q) {
			case 1:
				ang = m.copysign(180, y) - ang;
				break;
			case 2:
				ang = 90 - ang;
				break;
			case 3: ang = -90 + ang;
		}
		return ang;
	};
})(geodesic.Math);
(function(a, m) {
	"use strict";
	a.Accumulator = function(y) {
		this.Set(y);
	};
	a.Accumulator.prototype.Set = function(y) {
		if (!y) y = 0;
		if (y.constructor === a.Accumulator) {
			this._s = y._s;
			this._t = y._t;
		} else {
			this._s = y;
			this._t = 0;
		}
	};
	a.Accumulator.prototype.Add = function(y) {
		var u = m.sum(y, this._t), v = m.sum(u.s, this._s);
		u = u.t;
		this._s = v.s;
		this._t = v.t;
		if (this._s === 0) this._s = u;
		else this._t += u;
	};
	a.Accumulator.prototype.Sum = function(y) {
		var b;
		if (!y) return this._s;
		else {
			b = new a.Accumulator(this);
			b.Add(y);
			return b._s;
		}
	};
	a.Accumulator.prototype.Negate = function() {
		this._s *= -1;
		this._t *= -1;
	};
	a.Accumulator.prototype.Remainder = function(y) {
		this._s = m.remainder(this._s, y);
		this.Add(0);
	};
})(geodesic.Accumulator, geodesic.Math);
geodesic.Geodesic = {};
geodesic.GeodesicLine = {};
geodesic.PolygonArea = {};
(function(g, l, p, m, c) {
	"use strict";
	var GEOGRAPHICLIB_GEODESIC_ORDER = 6, nA1_ = GEOGRAPHICLIB_GEODESIC_ORDER, nA2_ = GEOGRAPHICLIB_GEODESIC_ORDER, nA3_ = GEOGRAPHICLIB_GEODESIC_ORDER, nA3x_ = nA3_, nC3x_, nC4x_, maxit1_ = 20, maxit2_ = maxit1_ + m.digits + 10, tol0_ = m.epsilon, tol1_ = 200 * tol0_, tol2_ = Math.sqrt(tol0_), tolb_ = tol0_, xthresh_ = 1e3 * tol2_, CAP_NONE = 0, CAP_ALL = 31, OUT_ALL = 32640, astroid, A1m1f_coeff, C1f_coeff, C1pf_coeff, A2m1f_coeff, C2f_coeff, A3_coeff, C3_coeff, C4_coeff;
	g.tiny_ = Math.sqrt(Number.MIN_VALUE / Number.EPSILON);
	g.nC1_ = GEOGRAPHICLIB_GEODESIC_ORDER;
	g.nC1p_ = GEOGRAPHICLIB_GEODESIC_ORDER;
	g.nC2_ = GEOGRAPHICLIB_GEODESIC_ORDER;
	g.nC3_ = GEOGRAPHICLIB_GEODESIC_ORDER;
	g.nC4_ = GEOGRAPHICLIB_GEODESIC_ORDER;
	nC3x_ = g.nC3_ * (g.nC3_ - 1) / 2;
	nC4x_ = g.nC4_ * (g.nC4_ + 1) / 2;
	g.CAP_C1 = 1;
	g.CAP_C1p = 2;
	g.CAP_C2 = 4;
	g.CAP_C3 = 8;
	g.CAP_C4 = 16;
	g.NONE = 0;
	g.ARC = 64;
	g.LATITUDE = 128 | CAP_NONE;
	g.LONGITUDE = 256 | g.CAP_C3;
	g.AZIMUTH = 512 | CAP_NONE;
	g.DISTANCE = 1024 | g.CAP_C1;
	g.STANDARD = g.LATITUDE | g.LONGITUDE | g.AZIMUTH | g.DISTANCE;
	g.DISTANCE_IN = 2048 | g.CAP_C1 | g.CAP_C1p;
	g.REDUCEDLENGTH = 4096 | g.CAP_C1 | g.CAP_C2;
	g.GEODESICSCALE = 8192 | g.CAP_C1 | g.CAP_C2;
	g.AREA = 16384 | g.CAP_C4;
	g.ALL = OUT_ALL | CAP_ALL;
	g.LONG_UNROLL = 32768;
	g.OUT_MASK = OUT_ALL | g.LONG_UNROLL;
	g.SinCosSeries = function(sinp, sinx, cosx, c) {
		var k = c.length, n = k - (sinp ? 1 : 0), ar = 2 * (cosx - sinx) * (cosx + sinx), y0 = n & 1 ? c[--k] : 0, y1 = 0;
		n = Math.floor(n / 2);
		while (n--) {
			y1 = ar * y0 - y1 + c[--k];
			y0 = ar * y1 - y0 + c[--k];
		}
		return sinp ? 2 * sinx * cosx * y0 : cosx * (y0 - y1);
	};
	astroid = function(x, y) {
		var k, p = m.sq(x), q = m.sq(y), r = (p + q - 1) / 6, S, r2, r3, disc, u, T3, T, ang, v, uv, w;
		if (!(q === 0 && r <= 0)) {
			S = p * q / 4;
			r2 = m.sq(r);
			r3 = r * r2;
			disc = S * (S + 2 * r3);
			u = r;
			if (disc >= 0) {
				T3 = S + r3;
				T3 += T3 < 0 ? -Math.sqrt(disc) : Math.sqrt(disc);
				T = m.cbrt(T3);
				u += T + (T !== 0 ? r2 / T : 0);
			} else {
				ang = Math.atan2(Math.sqrt(-disc), -(S + r3));
				u += 2 * r * Math.cos(ang / 3);
			}
			v = Math.sqrt(m.sq(u) + q);
			uv = u < 0 ? q / (v - u) : u + v;
			w = (uv - q) / (2 * v);
			k = uv / (Math.sqrt(uv + m.sq(w)) + w);
		} else k = 0;
		return k;
	};
	A1m1f_coeff = [
		1,
		4,
		64,
		0,
		256
	];
	g.A1m1f = function(eps) {
		var p = Math.floor(nA1_ / 2);
		return (m.polyval(p, A1m1f_coeff, 0, m.sq(eps)) / A1m1f_coeff[p + 1] + eps) / (1 - eps);
	};
	C1f_coeff = [
		-1,
		6,
		-16,
		32,
		-9,
		64,
		-128,
		2048,
		9,
		-16,
		768,
		3,
		-5,
		512,
		-7,
		1280,
		-7,
		2048
	];
	g.C1f = function(eps, c) {
		var eps2 = m.sq(eps), d = eps, o = 0, l = 1, p;
		for (; l <= g.nC1_; ++l) {
			p = Math.floor((g.nC1_ - l) / 2);
			c[l] = d * m.polyval(p, C1f_coeff, o, eps2) / C1f_coeff[o + p + 1];
			o += p + 2;
			d *= eps;
		}
	};
	C1pf_coeff = [
		205,
		-432,
		768,
		1536,
		4005,
		-4736,
		3840,
		12288,
		-225,
		116,
		384,
		-7173,
		2695,
		7680,
		3467,
		7680,
		38081,
		61440
	];
	g.C1pf = function(eps, c) {
		var eps2 = m.sq(eps), d = eps, o = 0, l = 1, p;
		for (; l <= g.nC1p_; ++l) {
			p = Math.floor((g.nC1p_ - l) / 2);
			c[l] = d * m.polyval(p, C1pf_coeff, o, eps2) / C1pf_coeff[o + p + 1];
			o += p + 2;
			d *= eps;
		}
	};
	A2m1f_coeff = [
		-11,
		-28,
		-192,
		0,
		256
	];
	g.A2m1f = function(eps) {
		var p = Math.floor(nA2_ / 2);
		return (m.polyval(p, A2m1f_coeff, 0, m.sq(eps)) / A2m1f_coeff[p + 1] - eps) / (1 + eps);
	};
	C2f_coeff = [
		1,
		2,
		16,
		32,
		35,
		64,
		384,
		2048,
		15,
		80,
		768,
		7,
		35,
		512,
		63,
		1280,
		77,
		2048
	];
	g.C2f = function(eps, c) {
		var eps2 = m.sq(eps), d = eps, o = 0, l = 1, p;
		for (; l <= g.nC2_; ++l) {
			p = Math.floor((g.nC2_ - l) / 2);
			c[l] = d * m.polyval(p, C2f_coeff, o, eps2) / C2f_coeff[o + p + 1];
			o += p + 2;
			d *= eps;
		}
	};
	g.Geodesic = function(a, f) {
		this.a = a;
		this.f = f;
		this._f1 = 1 - this.f;
		this._e2 = this.f * (2 - this.f);
		this._ep2 = this._e2 / m.sq(this._f1);
		this._n = this.f / (2 - this.f);
		this._b = this.a * this._f1;
		this._c2 = (m.sq(this.a) + m.sq(this._b) * (this._e2 === 0 ? 1 : (this._e2 > 0 ? m.atanh(Math.sqrt(this._e2)) : Math.atan(Math.sqrt(-this._e2))) / Math.sqrt(Math.abs(this._e2)))) / 2;
		this._etol2 = .1 * tol2_ / Math.sqrt(Math.max(.001, Math.abs(this.f)) * Math.min(1, 1 - this.f / 2) / 2);
		if (!(isFinite(this.a) && this.a > 0)) throw new Error("Equatorial radius is not positive");
		if (!(isFinite(this._b) && this._b > 0)) throw new Error("Polar semi-axis is not positive");
		this._A3x = new Array(nA3x_);
		this._C3x = new Array(nC3x_);
		this._C4x = new Array(nC4x_);
		this.A3coeff();
		this.C3coeff();
		this.C4coeff();
	};
	A3_coeff = [
		-3,
		128,
		-2,
		-3,
		64,
		-1,
		-3,
		-1,
		16,
		3,
		-1,
		-2,
		8,
		1,
		-1,
		2,
		1,
		1
	];
	g.Geodesic.prototype.A3coeff = function() {
		var o = 0, k = 0, j = nA3_ - 1, p;
		for (; j >= 0; --j) {
			p = Math.min(nA3_ - j - 1, j);
			this._A3x[k++] = m.polyval(p, A3_coeff, o, this._n) / A3_coeff[o + p + 1];
			o += p + 2;
		}
	};
	C3_coeff = [
		3,
		128,
		2,
		5,
		128,
		-1,
		3,
		3,
		64,
		-1,
		0,
		1,
		8,
		-1,
		1,
		4,
		5,
		256,
		1,
		3,
		128,
		-3,
		-2,
		3,
		64,
		1,
		-3,
		2,
		32,
		7,
		512,
		-10,
		9,
		384,
		5,
		-9,
		5,
		192,
		7,
		512,
		-14,
		7,
		512,
		21,
		2560
	];
	g.Geodesic.prototype.C3coeff = function() {
		var o = 0, k = 0, l = 1, j, p;
		for (; l < g.nC3_; ++l) for (j = g.nC3_ - 1; j >= l; --j) {
			p = Math.min(g.nC3_ - j - 1, j);
			this._C3x[k++] = m.polyval(p, C3_coeff, o, this._n) / C3_coeff[o + p + 1];
			o += p + 2;
		}
	};
	C4_coeff = [
		97,
		15015,
		1088,
		156,
		45045,
		-224,
		-4784,
		1573,
		45045,
		-10656,
		14144,
		-4576,
		-858,
		45045,
		64,
		624,
		-4576,
		6864,
		-3003,
		15015,
		100,
		208,
		572,
		3432,
		-12012,
		30030,
		45045,
		1,
		9009,
		-2944,
		468,
		135135,
		5792,
		1040,
		-1287,
		135135,
		5952,
		-11648,
		9152,
		-2574,
		135135,
		-64,
		-624,
		4576,
		-6864,
		3003,
		135135,
		8,
		10725,
		1856,
		-936,
		225225,
		-8448,
		4992,
		-1144,
		225225,
		-1440,
		4160,
		-4576,
		1716,
		225225,
		-136,
		63063,
		1024,
		-208,
		105105,
		3584,
		-3328,
		1144,
		315315,
		-128,
		135135,
		-2560,
		832,
		405405,
		128,
		99099
	];
	g.Geodesic.prototype.C4coeff = function() {
		var o = 0, k = 0, l = 0, j, p;
		for (; l < g.nC4_; ++l) for (j = g.nC4_ - 1; j >= l; --j) {
			p = g.nC4_ - j - 1;
			this._C4x[k++] = m.polyval(p, C4_coeff, o, this._n) / C4_coeff[o + p + 1];
			o += p + 2;
		}
	};
	g.Geodesic.prototype.A3f = function(eps) {
		return m.polyval(nA3x_ - 1, this._A3x, 0, eps);
	};
	g.Geodesic.prototype.C3f = function(eps, c) {
		var mult = 1, o = 0, l = 1, p;
		for (; l < g.nC3_; ++l) {
			p = g.nC3_ - l - 1;
			mult *= eps;
			c[l] = mult * m.polyval(p, this._C3x, o, eps);
			o += p + 1;
		}
	};
	g.Geodesic.prototype.C4f = function(eps, c) {
		var mult = 1, o = 0, l = 0, p;
		for (; l < g.nC4_; ++l) {
			p = g.nC4_ - l - 1;
			c[l] = mult * m.polyval(p, this._C4x, o, eps);
			o += p + 1;
			mult *= eps;
		}
	};
	g.Geodesic.prototype.Lengths = function(eps, sig12, ssig1, csig1, dn1, ssig2, csig2, dn2, cbet1, cbet2, outmask, C1a, C2a) {
		outmask &= g.OUT_MASK;
		var vals = {}, m0x = 0, J12 = 0, A1 = 0, A2 = 0, B1, B2, l, csig12, t;
		if (outmask & (g.DISTANCE | g.REDUCEDLENGTH | g.GEODESICSCALE)) {
			A1 = g.A1m1f(eps);
			g.C1f(eps, C1a);
			if (outmask & (g.REDUCEDLENGTH | g.GEODESICSCALE)) {
				A2 = g.A2m1f(eps);
				g.C2f(eps, C2a);
				m0x = A1 - A2;
				A2 = 1 + A2;
			}
			A1 = 1 + A1;
		}
		if (outmask & g.DISTANCE) {
			B1 = g.SinCosSeries(true, ssig2, csig2, C1a) - g.SinCosSeries(true, ssig1, csig1, C1a);
			vals.s12b = A1 * (sig12 + B1);
			if (outmask & (g.REDUCEDLENGTH | g.GEODESICSCALE)) {
				B2 = g.SinCosSeries(true, ssig2, csig2, C2a) - g.SinCosSeries(true, ssig1, csig1, C2a);
				J12 = m0x * sig12 + (A1 * B1 - A2 * B2);
			}
		} else if (outmask & (g.REDUCEDLENGTH | g.GEODESICSCALE)) {
			for (l = 1; l <= g.nC2_; ++l) C2a[l] = A1 * C1a[l] - A2 * C2a[l];
			J12 = m0x * sig12 + (g.SinCosSeries(true, ssig2, csig2, C2a) - g.SinCosSeries(true, ssig1, csig1, C2a));
		}
		if (outmask & g.REDUCEDLENGTH) {
			vals.m0 = m0x;
			vals.m12b = dn2 * (csig1 * ssig2) - dn1 * (ssig1 * csig2) - csig1 * csig2 * J12;
		} else vals.m12b = NaN;
		if (outmask & g.GEODESICSCALE) {
			csig12 = csig1 * csig2 + ssig1 * ssig2;
			t = this._ep2 * (cbet1 - cbet2) * (cbet1 + cbet2) / (dn1 + dn2);
			vals.M12 = csig12 + (t * ssig2 - csig2 * J12) * ssig1 / dn1;
			vals.M21 = csig12 - (t * ssig1 - csig1 * J12) * ssig2 / dn2;
		}
		return vals;
	};
	g.Geodesic.prototype.InverseStart = function(sbet1, cbet1, dn1, sbet2, cbet2, dn2, lam12, slam12, clam12, C1a, C2a) {
		var vals = {}, sbet12 = sbet2 * cbet1 - cbet2 * sbet1, cbet12 = cbet2 * cbet1 + sbet2 * sbet1, sbet12a, shortline, omg12, sbetm2, somg12, comg12, t, ssig12, csig12, x, y, lamscale, betscale, k2, eps, cbet12a, bet12a, m12b, m0, nvals, k, omg12a, lam12x;
		vals.sig12 = -1;
		sbet12a = sbet2 * cbet1;
		sbet12a += cbet2 * sbet1;
		shortline = cbet12 >= 0 && sbet12 < .5 && cbet2 * lam12 < .5;
		if (shortline) {
			sbetm2 = m.sq(sbet1 + sbet2);
			sbetm2 /= sbetm2 + m.sq(cbet1 + cbet2);
			vals.dnm = Math.sqrt(1 + this._ep2 * sbetm2);
			omg12 = lam12 / (this._f1 * vals.dnm);
			somg12 = Math.sin(omg12);
			comg12 = Math.cos(omg12);
		} else {
			somg12 = slam12;
			comg12 = clam12;
		}
		vals.salp1 = cbet2 * somg12;
		vals.calp1 = comg12 >= 0 ? sbet12 + cbet2 * sbet1 * m.sq(somg12) / (1 + comg12) : sbet12a - cbet2 * sbet1 * m.sq(somg12) / (1 - comg12);
		ssig12 = m.hypot(vals.salp1, vals.calp1);
		csig12 = sbet1 * sbet2 + cbet1 * cbet2 * comg12;
		if (shortline && ssig12 < this._etol2) {
			vals.salp2 = cbet1 * somg12;
			vals.calp2 = sbet12 - cbet1 * sbet2 * (comg12 >= 0 ? m.sq(somg12) / (1 + comg12) : 1 - comg12);
			t = m.hypot(vals.salp2, vals.calp2);
			vals.salp2 /= t;
			vals.calp2 /= t;
			vals.sig12 = Math.atan2(ssig12, csig12);
		} else if (Math.abs(this._n) > .1 || csig12 >= 0 || ssig12 >= 6 * Math.abs(this._n) * Math.PI * m.sq(cbet1)) {} else {
			lam12x = Math.atan2(-slam12, -clam12);
			if (this.f >= 0) {
				k2 = m.sq(sbet1) * this._ep2;
				eps = k2 / (2 * (1 + Math.sqrt(1 + k2)) + k2);
				lamscale = this.f * cbet1 * this.A3f(eps) * Math.PI;
				betscale = lamscale * cbet1;
				x = lam12x / lamscale;
				y = sbet12a / betscale;
			} else {
				cbet12a = cbet2 * cbet1 - sbet2 * sbet1;
				bet12a = Math.atan2(sbet12a, cbet12a);
				nvals = this.Lengths(this._n, Math.PI + bet12a, sbet1, -cbet1, dn1, sbet2, cbet2, dn2, cbet1, cbet2, g.REDUCEDLENGTH, C1a, C2a);
				m12b = nvals.m12b;
				m0 = nvals.m0;
				x = -1 + m12b / (cbet1 * cbet2 * m0 * Math.PI);
				betscale = x < -.01 ? sbet12a / x : -this.f * m.sq(cbet1) * Math.PI;
				lamscale = betscale / cbet1;
				y = lam12 / lamscale;
			}
			if (y > -tol1_ && x > -1 - xthresh_) {
				if (this.f >= 0) {
					vals.salp1 = Math.min(1, -x);
					vals.calp1 = -Math.sqrt(1 - m.sq(vals.salp1));
				} else {
					vals.calp1 = Math.max(x > -tol1_ ? 0 : -1, x);
					vals.salp1 = Math.sqrt(1 - m.sq(vals.calp1));
				}
			} else {
				k = astroid(x, y);
				omg12a = lamscale * (this.f >= 0 ? -x * k / (1 + k) : -y * (1 + k) / k);
				somg12 = Math.sin(omg12a);
				comg12 = -Math.cos(omg12a);
				vals.salp1 = cbet2 * somg12;
				vals.calp1 = sbet12a - cbet2 * sbet1 * m.sq(somg12) / (1 - comg12);
			}
		}
		if (!(vals.salp1 <= 0)) {
			t = m.hypot(vals.salp1, vals.calp1);
			vals.salp1 /= t;
			vals.calp1 /= t;
		} else {
			vals.salp1 = 1;
			vals.calp1 = 0;
		}
		return vals;
	};
	g.Geodesic.prototype.Lambda12 = function(sbet1, cbet1, dn1, sbet2, cbet2, dn2, salp1, calp1, slam120, clam120, diffp, C1a, C2a, C3a) {
		var vals = {}, t, salp0, calp0, somg1, comg1, somg2, comg2, somg12, comg12, B312, eta, k2, nvals;
		if (sbet1 === 0 && calp1 === 0) calp1 = -g.tiny_;
		salp0 = salp1 * cbet1;
		calp0 = m.hypot(calp1, salp1 * sbet1);
		vals.ssig1 = sbet1;
		somg1 = salp0 * sbet1;
		vals.csig1 = comg1 = calp1 * cbet1;
		t = m.hypot(vals.ssig1, vals.csig1);
		vals.ssig1 /= t;
		vals.csig1 /= t;
		vals.salp2 = cbet2 !== cbet1 ? salp0 / cbet2 : salp1;
		vals.calp2 = cbet2 !== cbet1 || Math.abs(sbet2) !== -sbet1 ? Math.sqrt(m.sq(calp1 * cbet1) + (cbet1 < -sbet1 ? (cbet2 - cbet1) * (cbet1 + cbet2) : (sbet1 - sbet2) * (sbet1 + sbet2))) / cbet2 : Math.abs(calp1);
		vals.ssig2 = sbet2;
		somg2 = salp0 * sbet2;
		vals.csig2 = comg2 = vals.calp2 * cbet2;
		t = m.hypot(vals.ssig2, vals.csig2);
		vals.ssig2 /= t;
		vals.csig2 /= t;
		vals.sig12 = Math.atan2(Math.max(0, vals.csig1 * vals.ssig2 - vals.ssig1 * vals.csig2), vals.csig1 * vals.csig2 + vals.ssig1 * vals.ssig2);
		somg12 = Math.max(0, comg1 * somg2 - somg1 * comg2);
		comg12 = comg1 * comg2 + somg1 * somg2;
		eta = Math.atan2(somg12 * clam120 - comg12 * slam120, comg12 * clam120 + somg12 * slam120);
		k2 = m.sq(calp0) * this._ep2;
		vals.eps = k2 / (2 * (1 + Math.sqrt(1 + k2)) + k2);
		this.C3f(vals.eps, C3a);
		B312 = g.SinCosSeries(true, vals.ssig2, vals.csig2, C3a) - g.SinCosSeries(true, vals.ssig1, vals.csig1, C3a);
		vals.domg12 = -this.f * this.A3f(vals.eps) * salp0 * (vals.sig12 + B312);
		vals.lam12 = eta + vals.domg12;
		if (diffp) {
			if (vals.calp2 === 0) vals.dlam12 = -2 * this._f1 * dn1 / sbet1;
			else {
				nvals = this.Lengths(vals.eps, vals.sig12, vals.ssig1, vals.csig1, dn1, vals.ssig2, vals.csig2, dn2, cbet1, cbet2, g.REDUCEDLENGTH, C1a, C2a);
				vals.dlam12 = nvals.m12b;
				vals.dlam12 *= this._f1 / (vals.calp2 * cbet2);
			}
		}
		return vals;
	};
	g.Geodesic.prototype.Inverse = function(lat1, lon1, lat2, lon2, outmask) {
		var r, vals;
		if (!outmask) outmask = g.STANDARD;
		if (outmask === g.LONG_UNROLL) outmask |= g.STANDARD;
		outmask &= g.OUT_MASK;
		r = this.InverseInt(lat1, lon1, lat2, lon2, outmask);
		vals = r.vals;
		if (outmask & g.AZIMUTH) {
			vals.azi1 = m.atan2d(r.salp1, r.calp1);
			vals.azi2 = m.atan2d(r.salp2, r.calp2);
		}
		return vals;
	};
	g.Geodesic.prototype.InverseInt = function(lat1, lon1, lat2, lon2, outmask) {
		var vals = {}, lon12, lon12s, lonsign, t, swapp, latsign, sbet1, cbet1, sbet2, cbet2, s12x, m12x, dn1, dn2, lam12, slam12, clam12, sig12, calp1, salp1, calp2, salp2, C1a, C2a, C3a, meridian, nvals, ssig1, csig1, ssig2, csig2, eps, omg12, dnm, numit, salp1a, calp1a, salp1b, calp1b, tripn, tripb, v, dv, dalp1, sdalp1, cdalp1, nsalp1, lengthmask, salp0, calp0, alp12, k2, A4, C4a, B41, B42, somg12, comg12, domg12, dbet1, dbet2, salp12, calp12, sdomg12, cdomg12;
		vals.lat1 = lat1 = m.LatFix(lat1);
		vals.lat2 = lat2 = m.LatFix(lat2);
		lat1 = m.AngRound(lat1);
		lat2 = m.AngRound(lat2);
		lon12 = m.AngDiff(lon1, lon2);
		lon12s = lon12.e;
		lon12 = lon12.d;
		if (outmask & g.LONG_UNROLL) {
			vals.lon1 = lon1;
			vals.lon2 = lon1 + lon12 + lon12s;
		} else {
			vals.lon1 = m.AngNormalize(lon1);
			vals.lon2 = m.AngNormalize(lon2);
		}
		lonsign = m.copysign(1, lon12);
		lon12 *= lonsign;
		lon12s *= lonsign;
		lam12 = lon12 * m.degree;
		t = m.sincosde(lon12, lon12s);
		slam12 = t.s;
		clam12 = t.c;
		lon12s = 180 - lon12 - lon12s;
		swapp = Math.abs(lat1) < Math.abs(lat2) || isNaN(lat2) ? -1 : 1;
		if (swapp < 0) {
			lonsign *= -1;
			[lat2, lat1] = [lat1, lat2];
		}
		latsign = m.copysign(1, -lat1);
		lat1 *= latsign;
		lat2 *= latsign;
		t = m.sincosd(lat1);
		sbet1 = this._f1 * t.s;
		cbet1 = t.c;
		t = m.hypot(sbet1, cbet1);
		sbet1 /= t;
		cbet1 /= t;
		cbet1 = Math.max(g.tiny_, cbet1);
		t = m.sincosd(lat2);
		sbet2 = this._f1 * t.s;
		cbet2 = t.c;
		t = m.hypot(sbet2, cbet2);
		sbet2 /= t;
		cbet2 /= t;
		cbet2 = Math.max(g.tiny_, cbet2);
		if (cbet1 < -sbet1) {
			if (cbet2 === cbet1) sbet2 = m.copysign(sbet1, sbet2);
		} else if (Math.abs(sbet2) === -sbet1) cbet2 = cbet1;
		dn1 = Math.sqrt(1 + this._ep2 * m.sq(sbet1));
		dn2 = Math.sqrt(1 + this._ep2 * m.sq(sbet2));
		C1a = new Array(g.nC1_ + 1);
		C2a = new Array(g.nC2_ + 1);
		C3a = new Array(g.nC3_);
		meridian = lat1 === -90 || slam12 === 0;
		if (meridian) {
			calp1 = clam12;
			salp1 = slam12;
			calp2 = 1;
			salp2 = 0;
			ssig1 = sbet1;
			csig1 = calp1 * cbet1;
			ssig2 = sbet2;
			csig2 = calp2 * cbet2;
			sig12 = Math.atan2(Math.max(0, csig1 * ssig2 - ssig1 * csig2), csig1 * csig2 + ssig1 * ssig2);
			nvals = this.Lengths(this._n, sig12, ssig1, csig1, dn1, ssig2, csig2, dn2, cbet1, cbet2, outmask | g.DISTANCE | g.REDUCEDLENGTH, C1a, C2a);
			s12x = nvals.s12b;
			m12x = nvals.m12b;
			if (outmask & g.GEODESICSCALE) {
				vals.M12 = nvals.M12;
				vals.M21 = nvals.M21;
			}
			if (sig12 < tol2_ || m12x >= 0) {
				if (sig12 < 3 * g.tiny_ || sig12 < tol0_ && (s12x < 0 || m12x < 0)) sig12 = m12x = s12x = 0;
				m12x *= this._b;
				s12x *= this._b;
				vals.a12 = sig12 / m.degree;
			} else meridian = false;
		}
		somg12 = 2;
		if (!meridian && sbet1 === 0 && (this.f <= 0 || lon12s >= this.f * 180)) {
			calp1 = calp2 = 0;
			salp1 = salp2 = 1;
			s12x = this.a * lam12;
			sig12 = omg12 = lam12 / this._f1;
			m12x = this._b * Math.sin(sig12);
			if (outmask & g.GEODESICSCALE) vals.M12 = vals.M21 = Math.cos(sig12);
			vals.a12 = lon12 / this._f1;
		} else if (!meridian) {
			nvals = this.InverseStart(sbet1, cbet1, dn1, sbet2, cbet2, dn2, lam12, slam12, clam12, C1a, C2a);
			sig12 = nvals.sig12;
			salp1 = nvals.salp1;
			calp1 = nvals.calp1;
			if (sig12 >= 0) {
				salp2 = nvals.salp2;
				calp2 = nvals.calp2;
				dnm = nvals.dnm;
				s12x = sig12 * this._b * dnm;
				m12x = m.sq(dnm) * this._b * Math.sin(sig12 / dnm);
				if (outmask & g.GEODESICSCALE) vals.M12 = vals.M21 = Math.cos(sig12 / dnm);
				vals.a12 = sig12 / m.degree;
				omg12 = lam12 / (this._f1 * dnm);
			} else {
				numit = 0;
				salp1a = g.tiny_;
				calp1a = 1;
				salp1b = g.tiny_;
				calp1b = -1;
				for (tripn = false, tripb = false;; ++numit) {
					nvals = this.Lambda12(sbet1, cbet1, dn1, sbet2, cbet2, dn2, salp1, calp1, slam12, clam12, numit < maxit1_, C1a, C2a, C3a);
					v = nvals.lam12;
					salp2 = nvals.salp2;
					calp2 = nvals.calp2;
					sig12 = nvals.sig12;
					ssig1 = nvals.ssig1;
					csig1 = nvals.csig1;
					ssig2 = nvals.ssig2;
					csig2 = nvals.csig2;
					eps = nvals.eps;
					domg12 = nvals.domg12;
					dv = nvals.dlam12;
					if (tripb || !(Math.abs(v) >= (tripn ? 8 : 1) * tol0_) || numit == maxit2_) break;
					if (v > 0 && (numit < maxit1_ || calp1 / salp1 > calp1b / salp1b)) {
						salp1b = salp1;
						calp1b = calp1;
					} else if (v < 0 && (numit < maxit1_ || calp1 / salp1 < calp1a / salp1a)) {
						salp1a = salp1;
						calp1a = calp1;
					}
					if (numit < maxit1_ && dv > 0) {
						dalp1 = -v / dv;
						if (Math.abs(dalp1) < Math.PI) {
							sdalp1 = Math.sin(dalp1);
							cdalp1 = Math.cos(dalp1);
							nsalp1 = salp1 * cdalp1 + calp1 * sdalp1;
							if (nsalp1 > 0) {
								calp1 = calp1 * cdalp1 - salp1 * sdalp1;
								salp1 = nsalp1;
								t = m.hypot(salp1, calp1);
								salp1 /= t;
								calp1 /= t;
								tripn = Math.abs(v) <= 16 * tol0_;
								continue;
							}
						}
					}
					salp1 = (salp1a + salp1b) / 2;
					calp1 = (calp1a + calp1b) / 2;
					t = m.hypot(salp1, calp1);
					salp1 /= t;
					calp1 /= t;
					tripn = false;
					tripb = Math.abs(salp1a - salp1) + (calp1a - calp1) < tolb_ || Math.abs(salp1 - salp1b) + (calp1 - calp1b) < tolb_;
				}
				lengthmask = outmask | (outmask & (g.REDUCEDLENGTH | g.GEODESICSCALE) ? g.DISTANCE : g.NONE);
				nvals = this.Lengths(eps, sig12, ssig1, csig1, dn1, ssig2, csig2, dn2, cbet1, cbet2, lengthmask, C1a, C2a);
				s12x = nvals.s12b;
				m12x = nvals.m12b;
				if (outmask & g.GEODESICSCALE) {
					vals.M12 = nvals.M12;
					vals.M21 = nvals.M21;
				}
				m12x *= this._b;
				s12x *= this._b;
				vals.a12 = sig12 / m.degree;
				if (outmask & g.AREA) {
					sdomg12 = Math.sin(domg12);
					cdomg12 = Math.cos(domg12);
					somg12 = slam12 * cdomg12 - clam12 * sdomg12;
					comg12 = clam12 * cdomg12 + slam12 * sdomg12;
				}
			}
		}
		if (outmask & g.DISTANCE) vals.s12 = 0 + s12x;
		if (outmask & g.REDUCEDLENGTH) vals.m12 = 0 + m12x;
		if (outmask & g.AREA) {
			salp0 = salp1 * cbet1;
			calp0 = m.hypot(calp1, salp1 * sbet1);
			if (calp0 !== 0 && salp0 !== 0) {
				ssig1 = sbet1;
				csig1 = calp1 * cbet1;
				ssig2 = sbet2;
				csig2 = calp2 * cbet2;
				k2 = m.sq(calp0) * this._ep2;
				eps = k2 / (2 * (1 + Math.sqrt(1 + k2)) + k2);
				A4 = m.sq(this.a) * calp0 * salp0 * this._e2;
				t = m.hypot(ssig1, csig1);
				ssig1 /= t;
				csig1 /= t;
				t = m.hypot(ssig2, csig2);
				ssig2 /= t;
				csig2 /= t;
				C4a = new Array(g.nC4_);
				this.C4f(eps, C4a);
				B41 = g.SinCosSeries(false, ssig1, csig1, C4a);
				B42 = g.SinCosSeries(false, ssig2, csig2, C4a);
				vals.S12 = A4 * (B42 - B41);
			} else vals.S12 = 0;
			if (!meridian && somg12 == 2) {
				somg12 = Math.sin(omg12);
				comg12 = Math.cos(omg12);
			}
			if (!meridian && comg12 > -.7071 && sbet2 - sbet1 < 1.75) {
				domg12 = 1 + comg12;
				dbet1 = 1 + cbet1;
				dbet2 = 1 + cbet2;
				alp12 = 2 * Math.atan2(somg12 * (sbet1 * dbet2 + sbet2 * dbet1), domg12 * (sbet1 * sbet2 + dbet1 * dbet2));
			} else {
				salp12 = salp2 * calp1 - calp2 * salp1;
				calp12 = calp2 * calp1 + salp2 * salp1;
				if (salp12 === 0 && calp12 < 0) {
					salp12 = g.tiny_ * calp1;
					calp12 = -1;
				}
				alp12 = Math.atan2(salp12, calp12);
			}
			vals.S12 += this._c2 * alp12;
			vals.S12 *= swapp * lonsign * latsign;
			vals.S12 += 0;
		}
		if (swapp < 0) {
			[salp2, salp1] = [salp1, salp2];
			[calp2, calp1] = [calp1, calp2];
			if (outmask & g.GEODESICSCALE) [vals.M21, vals.M12] = [vals.M12, vals.M21];
		}
		salp1 *= swapp * lonsign;
		calp1 *= swapp * latsign;
		salp2 *= swapp * lonsign;
		calp2 *= swapp * latsign;
		return {
			vals,
			salp1,
			calp1,
			salp2,
			calp2
		};
	};
	g.Geodesic.prototype.GenDirect = function(lat1, lon1, azi1, arcmode, s12_a12, outmask) {
		var line;
		if (!outmask) outmask = g.STANDARD;
		else if (outmask === g.LONG_UNROLL) outmask |= g.STANDARD;
		if (!arcmode) outmask |= g.DISTANCE_IN;
		line = new l.GeodesicLine(this, lat1, lon1, azi1, outmask);
		return line.GenPosition(arcmode, s12_a12, outmask);
	};
	g.Geodesic.prototype.Direct = function(lat1, lon1, azi1, s12, outmask) {
		return this.GenDirect(lat1, lon1, azi1, false, s12, outmask);
	};
	g.Geodesic.prototype.ArcDirect = function(lat1, lon1, azi1, a12, outmask) {
		return this.GenDirect(lat1, lon1, azi1, true, a12, outmask);
	};
	g.Geodesic.prototype.Line = function(lat1, lon1, azi1, caps) {
		return new l.GeodesicLine(this, lat1, lon1, azi1, caps);
	};
	g.Geodesic.prototype.DirectLine = function(lat1, lon1, azi1, s12, caps) {
		return this.GenDirectLine(lat1, lon1, azi1, false, s12, caps);
	};
	g.Geodesic.prototype.ArcDirectLine = function(lat1, lon1, azi1, a12, caps) {
		return this.GenDirectLine(lat1, lon1, azi1, true, a12, caps);
	};
	g.Geodesic.prototype.GenDirectLine = function(lat1, lon1, azi1, arcmode, s12_a12, caps) {
		var t;
		if (!caps) caps = g.STANDARD | g.DISTANCE_IN;
		if (!arcmode) caps |= g.DISTANCE_IN;
		t = new l.GeodesicLine(this, lat1, lon1, azi1, caps);
		t.GenSetDistance(arcmode, s12_a12);
		return t;
	};
	g.Geodesic.prototype.InverseLine = function(lat1, lon1, lat2, lon2, caps) {
		var r, t, azi1;
		if (!caps) caps = g.STANDARD | g.DISTANCE_IN;
		r = this.InverseInt(lat1, lon1, lat2, lon2, g.ARC);
		azi1 = m.atan2d(r.salp1, r.calp1);
		if (caps & (g.OUT_MASK & g.DISTANCE_IN)) caps |= g.DISTANCE;
		t = new l.GeodesicLine(this, lat1, lon1, azi1, caps, r.salp1, r.calp1);
		t.SetArc(r.vals.a12);
		return t;
	};
	g.Geodesic.prototype.Polygon = function(polyline) {
		return new p.PolygonArea(this, polyline);
	};
	g.WGS84 = new g.Geodesic(c.WGS84.a, c.WGS84.f);
})(geodesic.Geodesic, geodesic.GeodesicLine, geodesic.PolygonArea, geodesic.Math, geodesic.Constants);
var { DISTANCE, WGS84 } = geodesic.Geodesic;
export { DISTANCE, WGS84, area as geoArea, azimuthalEqualArea as geoAzimuthalEqualArea, circle as geoCircle, clipRectangle as geoClipRectangle, distance as geoDistance, equalEarth as geoEqualEarth, interpolate as geoInterpolate, index as geoPath };
