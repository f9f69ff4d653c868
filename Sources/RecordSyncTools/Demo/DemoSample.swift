/// The records that the demonstration takes where no file is given: some of the sky, some missions
/// and notes.
///
/// Three zones, the default one among them, every type of value, encrypted fields, children behind
/// their parents and before them.
package let demoSample = #"""
    {"recordName":"moon","recordType":"Moon","zoneID":{"zoneName":"Sky"},\#
    "parent":{"recordName":"earth"},"fields":{"name":{"value":"Earth's moon"},\#
    "radius":{"value":1737.4}}}
    {"recordName":"phobos","recordType":"Moon","zoneID":{"zoneName":"Sky"},\#
    "parent":{"recordName":"mars"},"fields":{"name":{"value":"Phobos"},\#
    "radius":{"value":11.1}}}
    {"recordName":"deimos","recordType":"Moon","zoneID":{"zoneName":"Sky"},\#
    "parent":{"recordName":"mars"},"fields":{"name":{"value":"Deimos"},\#
    "radius":{"value":6.3}}}
    {"recordName":"io","recordType":"Moon","zoneID":{"zoneName":"Sky"},\#
    "parent":{"recordName":"jupiter"},"fields":{"name":{"value":"Io"},\#
    "radius":{"value":1821.6}}}
    {"recordName":"sun","recordType":"Star","zoneID":{"zoneName":"Sky"},\#
    "fields":{"name":{"value":"Sun"},"radius":{"value":695700.0},"symbols":{"value":["☉",\#
    "☼"],"type":"STRING_LIST"}}}
    {"recordName":"mercury","recordType":"Planet","zoneID":{"zoneName":"Sky"},\#
    "parent":{"recordName":"sun"},"fields":{"name":{"value":"Mercury"},\#
    "radius":{"value":2439.7},"days":{"value":88}}}
    {"recordName":"venus","recordType":"Planet","zoneID":{"zoneName":"Sky"},\#
    "parent":{"recordName":"sun"},"fields":{"name":{"value":"Venus"},\#
    "radius":{"value":6051.8},"days":{"value":225},"transits":{"value":[1086652800000,\#
    1338940800000],"type":"TIMESTAMP_LIST"}}}
    {"recordName":"earth","recordType":"Planet","zoneID":{"zoneName":"Sky"},\#
    "parent":{"recordName":"sun"},"fields":{"name":{"value":"Earth"},\#
    "radius":{"value":6371.0},"days":{"value":365},"greetings":{"value":["hello",\#
    "你好","नमस्ते","مرحبا"],"type":"STRING_LIST"}}}
    {"recordName":"mars","recordType":"Planet","zoneID":{"zoneName":"Sky"},\#
    "parent":{"recordName":"sun"},"fields":{"name":{"value":"Mars"},\#
    "radius":{"value":3389.5},"days":{"value":687},"moons":{"value":[{"recordName":"phobos",\#
    "action":"NONE"},{"recordName":"deimos","action":"NONE"}],"type":"REFERENCE_LIST"}}}
    {"recordName":"jupiter","recordType":"Planet","zoneID":{"zoneName":"Sky"},\#
    "parent":{"recordName":"sun"},"fields":{"name":{"value":"Jupiter"},\#
    "radius":{"value":69911.0},"days":{"value":4333}}}
    {"recordName":"saturn","recordType":"Planet","zoneID":{"zoneName":"Sky"},\#
    "parent":{"recordName":"sun"},"fields":{"name":{"value":"Saturn"},\#
    "radius":{"value":58232.0},"days":{"value":10759}}}
    {"recordName":"uranus","recordType":"Planet","zoneID":{"zoneName":"Sky"},\#
    "parent":{"recordName":"sun"},"fields":{"name":{"value":"Uranus"},\#
    "radius":{"value":25362.0},"days":{"value":30687}}}
    {"recordName":"neptune","recordType":"Planet","zoneID":{"zoneName":"Sky"},\#
    "parent":{"recordName":"sun"},"fields":{"name":{"value":"Neptune"},\#
    "radius":{"value":24622.0},"days":{"value":60190}}}
    {"recordName":"europa","recordType":"Moon","zoneID":{"zoneName":"Sky"},\#
    "parent":{"recordName":"jupiter"},"fields":{"name":{"value":"Europa"},\#
    "radius":{"value":1560.8}}}
    {"recordName":"ganymede","recordType":"Moon","zoneID":{"zoneName":"Sky"},\#
    "parent":{"recordName":"jupiter"},"fields":{"name":{"value":"Ganymede"},\#
    "radius":{"value":2634.1}}}
    {"recordName":"callisto","recordType":"Moon","zoneID":{"zoneName":"Sky"},\#
    "parent":{"recordName":"jupiter"},"fields":{"name":{"value":"Callisto"},\#
    "radius":{"value":2410.3}}}
    {"recordName":"titan","recordType":"Moon","zoneID":{"zoneName":"Sky"},\#
    "parent":{"recordName":"saturn"},"fields":{"name":{"value":"Titan"},\#
    "radius":{"value":2574.7}}}
    {"recordName":"enceladus","recordType":"Moon","zoneID":{"zoneName":"Sky"},\#
    "parent":{"recordName":"saturn"},"fields":{"name":{"value":"Enceladus"},\#
    "radius":{"value":252.1}}}
    {"recordName":"iapetus","recordType":"Moon","zoneID":{"zoneName":"Sky"},\#
    "parent":{"recordName":"saturn"},"fields":{"name":{"value":"Iapetus"},\#
    "radius":{"value":734.5}}}
    {"recordName":"miranda","recordType":"Moon","zoneID":{"zoneName":"Sky"},\#
    "parent":{"recordName":"uranus"},"fields":{"name":{"value":"Miranda"},\#
    "radius":{"value":235.8}}}
    {"recordName":"titania","recordType":"Moon","zoneID":{"zoneName":"Sky"},\#
    "parent":{"recordName":"uranus"},"fields":{"name":{"value":"Titania"},\#
    "radius":{"value":788.4}}}
    {"recordName":"oberon","recordType":"Moon","zoneID":{"zoneName":"Sky"},\#
    "parent":{"recordName":"uranus"},"fields":{"name":{"value":"Oberon"},\#
    "radius":{"value":761.4}}}
    {"recordName":"triton","recordType":"Moon","zoneID":{"zoneName":"Sky"},\#
    "parent":{"recordName":"neptune"},"fields":{"name":{"value":"Triton"},\#
    "radius":{"value":1353.4}}}
    {"recordName":"camera-2","recordType":"Instrument","zoneID":{"zoneName":"Missions"},\#
    "parent":{"recordName":"voyager-2"},"fields":{"name":{"value":"Imaging camera"},\#
    "exposures":{"value":[0.005,0.24,15.36],"type":"DOUBLE_LIST"}}}
    {"recordName":"voyager-1","recordType":"Craft","zoneID":{"zoneName":"Missions"},\#
    "fields":{"name":{"value":"Voyager 1"},"launched":{"value":242312160000,\#
    "type":"TIMESTAMP"},"flybys":{"value":[1979,1980],"type":"INT64_LIST"},\#
    "record":{"value":{"fileChecksum":"yUdUoUET1mr0eP8iKhFeOh6+xqLtp2YehrH3pDbA4XQ=",\#
    "size":13},"type":"ASSETID"}}}
    {"recordName":"voyager-2","recordType":"Craft","zoneID":{"zoneName":"Missions"},\#
    "fields":{"name":{"value":"Voyager 2"},"launched":{"value":240935340000,\#
    "type":"TIMESTAMP"},"flybys":{"value":[1979,1981,1986,1989],"type":"INT64_LIST"},\#
    "twin":{"value":{"recordName":"voyager-1","action":"NONE"},"type":"REFERENCE"}}}
    {"recordName":"canaveral","recordType":"Site","zoneID":{"zoneName":"Missions"},\#
    "fields":{"name":{"value":"Cape Canaveral"},"place":{"value":{"latitude":28.39,\#
    "longitude":-80.6,"altitude":5},"type":"LOCATION"}}}
    {"recordName":"baikonur","recordType":"Site","zoneID":{"zoneName":"Missions"},\#
    "fields":{"name":{"value":"Байконур"},"pads":{"value":[{"latitude":45.92,\#
    "longitude":63.34},{"latitude":46.0,"longitude":63.56}],"type":"LOCATION_LIST"}}}
    {"recordName":"plaque","recordType":"Plaque","zoneID":{"zoneName":"Missions"},\#
    "parent":{"recordName":"voyager-1"},"fields":{"bits":{"value":"CAAb",\#
    "type":"BYTES"},"parts":{"value":["c3Vu","ZWFydGg="],"type":"BYTES_LIST"}}}
    {"recordName":"pictures","recordType":"Album","zoneID":{"zoneName":"Missions"},\#
    "parent":{"recordName":"voyager-1"},"fields":{"files":{"value":[{"size":1024},\#
    {"size":2048}],"type":"ASSETID_LIST"}}}
    {"recordName":"signal","recordType":"Note","zoneID":{"zoneName":"Missions"},\#
    "parent":{"recordName":"voyager-2"},"fields":{"text":{"value":"Weak,\#
     but there."},"link":{"value":{"recordName":"voyager-2","action":"DELETE_SELF"},\#
    "type":"REFERENCE"}}}
    {"recordName":"welcome","recordType":"Note","fields":{"text":{"value":"Notes live in the\#
     default zone."},"stars":{"value":5}}}
    {"recordName":"observatory","recordType":"Note","fields":{"text":{"value":"Dark until th\#
    ree.\nBring a coat."},"key":{"value":"under the third stone","type":"STRING",\#
    "isEncrypted":true}}}
    {"recordName":"tonight","recordType":"List","fields":{"title":{"value":"Tonight"}}}
    {"recordName":"tonight-1","recordType":"Entry","parent":{"recordName":"tonight"},\#
    "fields":{"text":{"value":"Saturn, \"the\" rings"},"done":{"value":0}}}
    {"recordName":"tonight-2","recordType":"Entry","parent":{"recordName":"tonight"},\#
    "fields":{"text":{"value":"Double star in the swan"},"done":{"value":1}}}
    {"recordName":"someday","recordType":"List","fields":{"title":{"value":""},\#
    "weight":{"value":-0.5}}}
    {"recordName":"empty","recordType":"Note","fields":{}}
    """#
