// The map with tiles, drawn by Leaflet

let leafletLoad = null;

/** Loads Leaflet from the gateway on the first call. Fails if the package is not installed. */
function loadLeaflet() {
  leafletLoad = leafletLoad || Promise.all([
    new Promise((done, fail) => document.head.append(make('link', { rel: 'stylesheet', href: '/leaflet.css', load: done, error: fail }))),
    new Promise((done, fail) => document.head.append(make('script', { src: '/leaflet.js', load: done, error: fail }))),
  ]);
  return leafletLoad;
}

function tileMap(container, tiles) {
  const leaflet = window.L;
  const ground = make('div', {});
  ground.style.height = '100%';
  container.replaceChildren(ground);
  const map = leaflet.map(ground, { preferCanvas: true });
  map.attributionControl.setPrefix('');
  leaflet.control.scale({ imperial: false }).addTo(map);
  leaflet.tileLayer('/tiles/{z}/{x}/{y}', {
    minZoom: Math.min(tiles.minzoom, 3), maxZoom: 19, minNativeZoom: tiles.minzoom, maxNativeZoom: tiles.maxzoom,
    attribution: escaped(tiles.attribution || tiles.name || ''),
    bounds: tiles.bounds ? [[tiles.bounds[1], tiles.bounds[0]], [tiles.bounds[3], tiles.bounds[2]]] : undefined,
  }).addTo(map);
  const group = leaflet.layerGroup().addTo(map);
  let hasView = false;
  let isMoved = false;
  let shown = noLayers;
  if (tiles.bounds) map.fitBounds([[tiles.bounds[1], tiles.bounds[0]], [tiles.bounds[3], tiles.bounds[2]]]);
  else map.setView([0, 0], Math.max(2, tiles.minzoom));
  // Once the user has panned the map, it no longer follows positions.
  map.on('dragstart', () => { isMoved = true; });
  const tip = (text) => make('span', { text });

  function show(given) {
    const layers = joined(given);
    const colour = palette();
    group.clearLayers();
    for (const route of layers.routes) {
      const { ink, dash } = routeLook(route.difficulty);
      leaflet.polyline(route.lines, { color: ink, weight: 4, dashArray: dash.join(' ') })
        .bindTooltip(tip([route.name, route.difficulty].filter(Boolean).join(' · ')), { sticky: true, className: 'tip' }).addTo(group);
    }
    if (layers.track.length) {
      leaflet.polyline(layers.track, { color: colour.track, weight: 4, interactive: false }).addTo(group);
    }
    for (const place of [...layers.others, ...layers.places]) {
      const isOther = layers.others.includes(place);
      const at = [place.latitude, place.longitude];
      const ink = place.isStale ? '#5a6661' : '#0b5d4e';
      if (place.accuracy) leaflet.circle(at, { radius: place.accuracy, color: ink, weight: 1, fillOpacity: 0.12, interactive: false }).addTo(group);
      const look = place.isStale ? { color: ink, fillColor: '#fff', dashArray: '3 3' } : { color: '#fff', fillColor: ink };
      leaflet.circleMarker(at, { radius: isOther ? 5 : 8, weight: 2.5, fillOpacity: 1, ...look })
        .bindTooltip(tip(isOther ? otherLabelOf(place) : labelOf(place)), { permanent: layers.places.length + layers.others.length <= 40, direction: 'right', className: 'tip' })
        .addTo(group);
    }
    for (const hazard of layers.hazards) {
      const mark = make('div', { class: 'map-mark' }, icon('sign-blank'), make('span', { text: String(hazard.intensity) }));
      const sign = leaflet.divIcon({ html: mark, className: '', iconSize: [28, 28] });
      leaflet.marker([hazard.latitude, hazard.longitude], { icon: sign, keyboard: false }).bindTooltip(tip(hazard.name), { className: 'tip' }).addTo(group);
    }
    shown = layers;
    const hasLeft = layers.places.some((place) => !place.isStale && !map.getBounds().contains([place.latitude, place.longitude]));
    if (!hasView || (!isMoved && hasLeft)) fit();
  }

  function fit() {
    const bounds = boundsOf(shown);
    if (!bounds) return;
    hasView = true;
    map.fitBounds([[bounds[0], bounds[1]], [bounds[2], bounds[3]]], { maxZoom: Math.max(16, tiles.maxzoom), paddingTopLeft: [64, 30], paddingBottomRight: [30, 44] });
  }
  const sizes = new ResizeObserver(() => map.invalidateSize());
  sizes.observe(ground);
  return {
    show,
    fit() { if (!isMoved) fit(); },
    centre(place) { hasView = isMoved = true; map.setView([place.latitude, nearLongitude(place.longitude, map.getCenter().lng)]); },
    leave() { sizes.disconnect(); map.remove(); },
  };
}

/** Escapes text: Leaflet treats the attribution as HTML, and anyone may have created the map file. */
function escaped(text) {
  const plain = text.replace(/<[^>]*>/g, '');
  return plain.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

